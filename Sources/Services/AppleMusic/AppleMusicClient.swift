import CatalogModel
public import Downloads

/// Asks the Apple Music API for playlists of its catalog, over the same transport as downloads.
///
/// Nothing is kept between calls. A call ends at once, with `CancellationError`, where its task is
/// cancelled. The developer token goes to the base address and nowhere else: redirects are not followed,
/// and a next page must be one of the same list.
public struct AppleMusicClient: Sendable {
  /// What the API says of a playlist without tracks, with status 404: no related resources.
  private static let nothingRelated = "40403"

  /// Pages of a list: at 100 tracks each, more than any playlist has.
  var pageLimit = 1_000

  private let transport: any DownloadTransport
  private let tokens: any DeveloperTokenSource
  private let policy: DownloadPolicy
  /// Without a slash at its end.
  private let base: String

  /// - Parameters:
  ///   - baseURL: https, or http on this machine alone; no user, query or fragment in it.
  ///   - policy: its attempts, pauses and time limits are kept to, for each page.
  /// - Throws: `AppleMusicError` with code `unsafeAddress` for another base address; `DownloadPolicyError`
  ///   for a policy with a number that is not allowed.
  public init(
    transport: any DownloadTransport, tokens: any DeveloperTokenSource,
    baseURL: String = "https://api.music.apple.com", policy: DownloadPolicy = DownloadPolicy()
  ) throws {
    try policy.check()
    self.transport = transport
    self.tokens = tokens
    self.policy = policy
    base = try Self.checked(base: baseURL)
  }

  /// What the catalog says of a playlist, in one request.
  ///
  /// - Parameter storefront: a country's two lower-case letters.
  /// - Throws: `AppleMusicError`, `CancellationError`, and what the token source throws.
  public func playlist(_ id: String, storefront: String) async throws -> CatalogPlaylist {
    let path = try PlaylistPath(id: id, storefront: storefront)
    let request = try request(path.text)
    return try CatalogPlaylist(await request.run(), id: id, storefront: storefront)
  }

  /// The tracks of a playlist, all pages of them, in order. A track that is there twice stays twice.
  ///
  /// All or nothing: a page that fails makes the call fail. An empty playlist gives an empty list.
  ///
  /// - Parameter storefront: a country's two lower-case letters.
  /// - Throws: `AppleMusicError`, `CancellationError`, and what the token source throws.
  public func tracks(ofPlaylist id: String, storefront: String) async throws -> [CatalogTrack] {
    let path = try PlaylistPath(id: id, storefront: storefront)
    var tracks: [CatalogTrack] = []
    var asked: Set<String> = []
    var next: String? = path.firstPage
    while let page = next {
      let request = try request(page)
      guard asked.insert(page).inserted, asked.count <= pageLimit else {
        throw AppleMusicError(
          .unexpectedContent,
          "the pages of the tracks do not end: after \(asked.count), the server repeated a page or named "
            + "too many (\(request.place)); try again later")
      }
      let document: JSONDocument
      do {
        document = try await request.run()
      } catch let error as AppleMusicError where Self.isUnrelated(error) {
        guard asked.count == 1 else {
          throw AppleMusicError(
            .unexpectedContent,
            "page \(asked.count) of the tracks is gone: the playlist changed while it was read "
              + "(\(request.place)); read it again", errors: error.errors)
        }
        return []
      }
      let answer = try TracksPage(document)
      tracks += answer.tracks
      next = try answer.next.map { try path.page($0) }
    }
    return tracks
  }

  private static func isUnrelated(_ error: AppleMusicError) -> Bool {
    error.code == .notFound && error.errors.contains { $0.code == nothingRelated }
  }

  /// - Parameter path: from the base address on, with its query.
  private func request(_ path: String) throws(AppleMusicError) -> AuthorizedRequest {
    do throws(TextProblem) {
      return AuthorizedRequest(
        address: try DownloadAddress(base + path), transport: transport, tokens: tokens,
        policy: policy)
    } catch {
      throw AppleMusicError(.unsafeAddress, "the address of a request \(error.message)")
    }
  }

  private static func checked(base: String) throws(AppleMusicError) -> String {
    // The address itself is not shown: it may hold a password.
    let address: DownloadAddress
    do throws(TextProblem) {
      address = try DownloadAddress(base)
    } catch {
      throw AppleMusicError(
        .unsafeAddress, "the base address \(error.message); \(error.advice)")
    }
    guard address.withoutQuery == address.text else {
      throw AppleMusicError(
        .unsafeAddress,
        "the base address has a query or a fragment; write it like https://api.music.apple.com")
    }
    var text = address.text
    while text.hasSuffix("/") { text.removeLast() }
    return text
  }
}
