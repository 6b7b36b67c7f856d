import ArgumentParser
import TrackLibrary

/// Times what an app asks of a library of tracks, again and again in one process.
///
/// Prints what `QuestionTimer` says of each question.
struct TracksCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tracks", abstract: "Time pages and searches of a library of tracks.")

  @Argument(help: "The folder of the catalog.")
  var catalog: String

  @Option(help: "How often each question is asked.")
  var runs = 30

  @Option(help: "How many rows a page has.")
  var limit = 50

  func run() async throws {
    let catalog = try await EventCatalog.openExisting(CatalogDirectory(catalog), TrackLibraryKind())
    defer { catalog.close() }
    let library = TrackLibrary(catalog)
    let tracks = library.tracks
    guard let some = try await tracks.list(limit: 1_000).rows.last else {
      throw Failure(description: "there are no tracks in \(self.catalog)")
    }
    let filters = [
      TrackFilter.all, .source(some.source), .source("none"), .artist(some.artist),
      .album(some.album), .album(some.album, by: some.artist),
    ]
    for filter in filters {
      for sort in TrackSort.allCases {
        try await timePages("list \(filter) by \(sort)") {
          try await tracks.list(filter, by: sort, limit: $0, after: $1)
        }
      }
    }
    for query in ["t", "a", "track", "track 777", "artist 12 album", "1", "nothing of this"] {
      try await timePages("search \(query)") {
        try await tracks.search(query, limit: $0, after: $1)
      }
    }
    let playlists = library.playlists
    try await timePages("playlists") { try await playlists.list(limit: $0, after: $1) }
    if let playlist = try await playlists.list(limit: 1).rows.first {
      try await time("playlist") { try await playlists.playlist(playlist.id)?.tracks.count ?? 0 }
    }
    let albums = library.albums
    try await timePages("albums") { try await albums.list(limit: $0, after: $1) }
    try await timePages("artists") { try await albums.artists(limit: $0, after: $1) }
    try await timePages("songs") { try await library.songs.list(limit: $0, after: $1) }
    for sort in PlaySort.allCases {
      try await timePages("played, \(sort)") {
        try await tracks.played(by: sort, limit: $0, after: $1)
      }
    }
    try await time("track") { try await tracks.track(some.id) == nil ? 0 : 1 }
  }

  /// Times the first page and the one after it.
  private func timePages<Row>(
    _ question: String, _ page: (Int, KeysetCursor?) async throws -> KeysetPage<Row>
  ) async throws {
    try await time(question) { try await page(limit, nil).rows.count }
    guard let next = try await page(limit, nil).next else { return }
    try await time("\(question), second page") { try await page(limit, next).rows.count }
  }

  private func time(_ question: String, _ body: () async throws -> Int) async throws {
    try await QuestionTimer(runs: runs).time(question, body)
  }
}
