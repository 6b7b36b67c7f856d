import Synchronization

/// The part of the Apple Music API that serves playlists, on this machine: pages, typed errors and tokens as
/// the real one has them, and for some requests whatever a test says instead.
package final class AppleMusicServer: Sendable {
  /// What to answer instead; nil for what is right.
  package typealias Script = @Sendable (FaultServer.Request) -> FaultServer.Reply?

  private struct State {
    var playlists: [String: ServedPlaylist] = [:]
    /// Nil where any token will do.
    var tokens: Set<String>?
    var script: Script?
  }

  /// Apart from the server, whose handler needs it before there is a server.
  private final class Catalog: Sendable {
    let state = Mutex(State())
  }

  private let catalog = Catalog()
  private let server: FaultServer

  /// - Parameter tokens: those that are taken; nil if any will do, but none will not.
  package init(_ playlists: [ServedPlaylist] = [], tokens: Set<String>? = nil) throws {
    let catalog = catalog
    catalog.state.withLock { $0.tokens = tokens }
    server = try FaultServer { request in
      let script = catalog.state.withLock { $0.script }
      return script?(request) ?? Self.right(request, catalog.state.withLock { $0 })
    }
    playlists.forEach(publish)
  }

  /// The base address for a client.
  package var address: String { server.address("") }

  /// All requests so far, in the order in which they came.
  package var requests: [FaultServer.Request] { server.requests }

  package var openConnections: Int { server.openConnections }

  /// Adds a playlist, or puts it in the place of what it was.
  package func publish(_ playlist: ServedPlaylist) {
    catalog.state.withLock { $0.playlists[playlist.path] = playlist }
  }

  package func withdraw(_ playlist: ServedPlaylist) {
    catalog.state.withLock { $0.playlists[playlist.path] = nil }
  }

  /// Which tokens are taken from now on; nil if any will do, but none will not.
  package func accept(tokens: Set<String>?) {
    catalog.state.withLock { $0.tokens = tokens }
  }

  /// Nil for what is right, always.
  package func script(_ script: Script?) {
    catalog.state.withLock { $0.script = script }
  }

  package func stop() { server.stop() }

  // MARK: Replies

  package static func json(_ text: String, status: Int = 200) -> FaultServer.Reply {
    .response(
      status: status, headers: ["Content-Type": "application/json;charset=utf-8"],
      body: Array(text.utf8))
  }

  /// An error document as the API sends it, in which all is text.
  ///
  /// - Parameter source: JSON, like `{"parameter":"limit"}`.
  package static func error(
    _ status: Int, code: String, title: String, detail: String, source: String? = nil
  ) -> FaultServer.Reply {
    let source = source.map { ",\"source\":\($0)" } ?? ""
    return json(
      """
      {"errors":[{"id":"ABCDEFGHIJ","title":"\(title)","detail":"\(detail)",\
      "status":"\(status)","code":"\(code)"\(source)}]}
      """, status: status)
  }

  /// What a token that is over gets.
  package static var expiredToken: FaultServer.Reply {
    error(401, code: "40100", title: "Unauthorized", detail: "The developer token has expired")
  }

  package static var notFound: FaultServer.Reply {
    error(
      404, code: "40400", title: "Resource Not Found",
      detail: "Resource with requested id was not found")
  }

  /// What the tracks of a playlist without any get.
  package static var nothingRelated: FaultServer.Reply {
    error(
      404, code: "40403", title: "No related resources",
      detail: "No related resources found for tracks")
  }

  /// - Parameter pause: the Retry-After header, as it is sent.
  package static func rateLimited(after pause: String, status: Int = 429) -> FaultServer.Reply {
    .response(
      status: status, headers: ["Retry-After": pause, "Content-Type": "application/json"],
      body: Array(
        #"{"errors":[{"status":"\#(status)","code":"\#(status)00","title":"Slow down"}]}"#.utf8))
  }

  private static func right(
    _ request: FaultServer.Request, _ state: State
  ) -> FaultServer.Reply {
    guard let authorization = request[header: "Authorization"],
      authorization.hasPrefix("Bearer "),
      state.tokens?.contains(String(authorization.dropFirst("Bearer ".count))) ?? true
    else { return expiredToken }
    if let playlist = state.playlists[request.path] { return json(playlist.document) }
    guard request.isForTracks,
      let playlist = state.playlists[String(request.path.dropLast("/tracks".count))]
    else { return notFound }
    if playlist.tracks.isEmpty { return nothingRelated }
    let start = request.offset
    guard start < playlist.tracks.count else { return nothingRelated }
    let end = min(start + request.limit, playlist.tracks.count)
    // The real one repeats no limit either.
    let next = end < playlist.tracks.count ? "\(request.path)?offset=\(end)" : nil
    return json(playlist.page(start..<end, next: next))
  }
}

extension FaultServer.Request {
  package var isForTracks: Bool { path.hasSuffix("/tracks") }

  /// Of the first track that is asked for.
  package var offset: Int { query("offset") ?? 0 }

  /// How many tracks are asked for: at most 100, and few where nothing is said.
  fileprivate var limit: Int { min(query("limit") ?? 25, 100) }

  private func query(_ name: String) -> Int? {
    target.dropFirst(path.count + 1).split(separator: "&")
      .first { $0.hasPrefix("\(name)=") }
      .flatMap { Int($0.dropFirst(name.count + 1)) }
  }
}
