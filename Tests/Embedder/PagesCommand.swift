import ArgumentParser
import CatalogEngine
import ConcertArchive
import Foundation
import TrackLibrary

/// Times pages and searches of an archive of concerts or a library of tracks, again and again in one process, as an
/// app asks for them.
///
/// Prints a line of JSON for each: what was asked, how many rows came, the median in ms.
struct PagesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pages", abstract: "Time pages and searches of concerts or tracks.")

  @Argument(help: "The folder of the catalog.")
  var catalog: String

  @Option(help: "The kind of the catalog: concert-archive or track-library.")
  var kind: String

  @Option(help: "How often each page is asked for.")
  var runs = 21

  func run() async throws {
    let directory = CatalogDirectory(catalog)
    switch kind {
    case "concert-archive":
      let catalog = try await EventCatalog.openExisting(directory, ConcertArchiveKind())
      defer { catalog.close() }
      try await time(ConcertArchive(catalog))
    case "track-library":
      let catalog = try await EventCatalog.openExisting(directory, TrackLibraryKind())
      defer { catalog.close() }
      try await time(TrackLibrary(catalog))
    default: throw ValidationError("no pages of \(kind) are timed")
    }
  }

  private func time(_ archive: ConcertArchive) async throws {
    let shows = archive.shows
    guard let some = try await shows.list(limit: 1_000).rows.last else {
      throw Failure(description: "there are no shows in \(catalog)")
    }
    let filters: [ShowFilter] = [
      .all, .year(Int(some.date.prefix(4)) ?? 0), .month(String(some.date.prefix(7))),
      .city(some.city ?? ""), .state(some.state ?? ""), .venue(some.venueName),
      .onThisDay(String(some.date.suffix(5))),
    ]
    for filter in filters {
      try await timePages("list \(filter)") {
        try await shows.list(filter, limit: $0, after: $1)
      }
    }
    for query in ["5-8-77", "half step", "may 1977", "waltz", "s"] {
      try await timePages("search \(query)") {
        try await shows.search(query, limit: $0, after: $1)
      }
    }
    try await timePages("top") { try await shows.top(limit: $0, after: $1) }
    try await timePages("library") { try await archive.library.list(limit: $0, after: $1) }
    try await timePages("recent") { try await archive.recent.list(limit: $0, after: $1) }
    let collections = archive.collections
    try await timePages("collections") { try await collections.list(limit: $0, after: $1) }
    if let largest = try await collections.list(limit: 1).rows.first {
      try await timePages("collection") {
        try await collections.shows(of: largest.id, limit: $0, after: $1)
      }
    }
    let id = some.showID
    try await time("show") { try await shows.show(id) == nil ? 0 : 1 }
    try await time("recordings") { try await shows.recordings(of: id).count }
    try await time("collections of a show") { try await collections.collections(with: id).count }
    try await time("next") { try await shows.next(after: id).count }
    try await time("previous") { try await shows.previous(before: id).count }
  }

  private func time(_ library: TrackLibrary) async throws {
    let tracks = library.tracks
    guard let some = try await tracks.list(limit: 1_000).rows.last else {
      throw Failure(description: "there are no tracks in \(catalog)")
    }
    let filters = [
      TrackFilter.all, .source(some.source), .artist(some.artist), .album(some.album),
    ]
    for filter in filters {
      for sort in TrackSort.allCases {
        try await timePages("list \(filter) by \(sort)") {
          try await tracks.list(filter, by: sort, limit: $0, after: $1)
        }
      }
    }
    for query in ["t", "track 777", "artist 12 album", "nothing of this"] {
      try await timePages("search \(query)") {
        try await tracks.search(query, limit: $0, after: $1)
      }
    }
    let playlists = library.playlists
    try await timePages("playlists") { try await playlists.list(limit: $0, after: $1) }
    if let playlist = try await playlists.list(limit: 1).rows.first {
      try await time("playlist") { try await playlists.playlist(playlist.id)?.tracks.count ?? 0 }
    }
    try await timePages("songs") { try await library.songs.list(limit: $0, after: $1) }
    try await time("track") { try await tracks.track(some.id) == nil ? 0 : 1 }
  }

  // MARK: Timing

  private struct Line: Encodable {
    let question: String
    let rows: Int
    /// Milliseconds.
    let median: Double
  }

  /// Times the first page and the one after it.
  private func timePages<Row>(
    _ question: String, _ page: (Int, KeysetCursor?) async throws -> KeysetPage<Row>
  ) async throws {
    try await time(question) { try await page(20, nil).rows.count }
    guard let next = try await page(20, nil).next else { return }
    try await time("\(question), second page") { try await page(20, next).rows.count }
  }

  private func time(_ question: String, _ body: () async throws -> Int) async throws {
    // Once before, as a screen that was open already.
    let rows = try await body()
    var times: [Double] = []
    for _ in 0..<runs {
      let start = ContinuousClock.now
      _ = try await body()
      times.append(start.duration(to: .now) / .milliseconds(1))
    }
    times.sort()
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let line = Line(question: question, rows: rows, median: times[times.count / 2])
    Embedder.say(String(decoding: try encoder.encode(line), as: UTF8.self))
  }
}
