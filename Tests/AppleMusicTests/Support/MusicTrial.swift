import AppleMusic
import DownloadTestSupport
import Downloads
import DownloadsOverCurl
import Testing

/// A client and a server that may do anything.
struct MusicTrial: Sendable {
  /// No real one: three parts in base64url that say nothing.
  static let token = "aGVhZGVy.Y2xhaW1z.c2lnbmF0dXJl"
  static let id = "pl.acc464c750b94302b8806e5fcbe56e17"
  static let path = "/v1/catalog/us/playlists/\(id)"

  /// Short pauses. The watches stay patient: on a busy machine this process itself may come to a halt.
  static var policy: DownloadPolicy {
    var policy = DownloadPolicy()
    policy.pauses = (.milliseconds(1), .milliseconds(5))
    return policy
  }

  let server: AppleMusicServer
  let client: AppleMusicClient

  init(
    _ playlists: [ServedPlaylist] = [], tokens: any DeveloperTokenSource = FixedToken(),
    policy: DownloadPolicy = MusicTrial.policy
  ) throws {
    server = try AppleMusicServer(playlists, tokens: [Self.token])
    client = try AppleMusicClient(
      transport: CurlTransport(), tokens: tokens, baseURL: server.address, policy: policy)
  }

  /// A server that answers every request with this.
  init(
    policy: DownloadPolicy = MusicTrial.policy,
    always reply: @escaping @Sendable (FaultServer.Request) -> FaultServer.Reply
  ) throws {
    try self.init(policy: policy)
    server.script { reply($0) }
  }

  func playlist() async throws -> CatalogPlaylist {
    try await client.playlist(Self.id, storefront: "us")
  }

  func tracks() async throws -> [CatalogTrack] {
    try await client.tracks(ofPlaylist: Self.id, storefront: "us")
  }

  /// Every request had the token, and what else is sent with each.
  func expectHeaders(sourceLocation: SourceLocation = #_sourceLocation) {
    for request in server.requests {
      #expect(request.method == "GET", sourceLocation: sourceLocation)
      #expect(
        request[header: "Authorization"] == "Bearer \(Self.token)", sourceLocation: sourceLocation)
      #expect(request[header: "Accept"] == "application/json", sourceLocation: sourceLocation)
      #expect(request.acceptEncoding == "identity", sourceLocation: sourceLocation)
    }
  }

  /// Fails, and its error shows no token.
  @discardableResult
  func expectError(
    _ code: AppleMusicError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    of work: (MusicTrial) async throws -> Void
  ) async throws -> AppleMusicError {
    let error = try #require(
      await #expect(throws: AppleMusicError.self, sourceLocation: sourceLocation) {
        try await work(self)
      }, sourceLocation: sourceLocation)
    #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    #expect(!"\(error) \(error.errors)".contains(Self.token), sourceLocation: sourceLocation)
    #expect(!error.message.contains("limit="), "a query is shown", sourceLocation: sourceLocation)
    return error
  }

  @discardableResult
  func expectErrorOfPlaylist(
    _ code: AppleMusicError.Code, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> AppleMusicError {
    try await expectError(code, sourceLocation: sourceLocation) { _ = try await $0.playlist() }
  }

  @discardableResult
  func expectErrorOfTracks(
    _ code: AppleMusicError.Code, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> AppleMusicError {
    try await expectError(code, sourceLocation: sourceLocation) { _ = try await $0.tracks() }
  }
}

/// The same token for ever.
struct FixedToken: DeveloperTokenSource {
  var text = MusicTrial.token

  func token() async throws -> String { text }
}
