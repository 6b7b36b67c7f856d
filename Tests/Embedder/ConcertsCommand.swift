import ArgumentParser
import ConcertArchive

/// Times what an app asks of an archive of concerts, again and again in one process.
///
/// Prints what `QuestionTimer` says of each question. The archive is changed: shows are saved and played.
struct ConcertsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "concerts", abstract: "Time pages and searches of an archive of concerts.")

  @Argument(help: "The folder of the catalog.")
  var catalog: String

  @Option(help: "How often each question is asked.")
  var runs = 30

  @Option(help: "How many rows a page has.")
  var limit = 50

  func run() async throws {
    let catalog = try await EventCatalog.openExisting(
      CatalogDirectory(catalog), ConcertArchiveKind())
    defer { catalog.close() }
    let archive = ConcertArchive(catalog)
    let shows = try await archive.shows.list(limit: 10_000).rows
    guard shows.count > 200 else { throw Failure(description: "the archive has too few shows") }
    let middle = shows[shows.count / 2]
    for show in shows.prefix(200) {
      try await archive.library.add(show.showID)
      try await archive.recent.play(show.showID, seconds: 60, of: nil)
    }
    try await archive.library.pin(shows[7].showID)
    try await timeLists(archive, middle)
    try await timeShow(archive, middle)
    for query in [
      "5-8-77", "may 1977", "half step", "song", "usa", "ida marsh river song", "a*", "1977",
      "no such words",
    ] {
      try await time("search \(query)") {
        try await archive.shows.search(query, limit: limit).rows.count
      }
    }
    // The last page of a search that finds all shows.
    var cursor: KeysetCursor?
    var last: KeysetCursor?
    repeat {
      last = cursor
      cursor = try await archive.shows.search("marsh", limit: limit, after: cursor).next
    } while cursor != nil
    try await time("search, last page") { [last] in
      try await archive.shows.search("marsh", limit: limit, after: last).rows.count
    }
  }

  private func timeLists(_ archive: ConcertArchive, _ middle: ShowLine) async throws {
    let year = Int(middle.date.prefix(4)) ?? 0
    let filters: [(String, ShowFilter)] = [
      ("all", .all), ("year", .year(year)), ("month", .month(String(middle.date.prefix(7)))),
      ("city", .city(middle.city ?? "")), ("state", .state("CA")),
      ("venue", .venue(middle.venueName)), ("dates", .dates("\(year)-03-01", "\(year + 2)-06-30")),
      ("on this day", .onThisDay(String(middle.date.suffix(5)))),
    ]
    for (name, filter) in filters {
      for newestFirst in [false, true] {
        let order = newestFirst ? ", newest first" : ""
        let first = try await archive.shows.list(filter, newestFirst: newestFirst, limit: limit)
        try await time("shows: \(name)\(order)") {
          try await archive.shows.list(filter, newestFirst: newestFirst, limit: limit).rows.count
        }
        guard let next = first.next else { continue }
        try await time("shows: \(name)\(order), second page") {
          try await archive.shows.list(
            filter, newestFirst: newestFirst, limit: limit, after: next
          ).rows.count
        }
      }
    }
    try await time("top shows") { try await archive.shows.top(limit: limit).rows.count }
    for type in [nil, "SBD", "nothing"] {
      try await time("top recordings\(type.map { " of \($0)" } ?? "")") {
        try await archive.shows.topRecordings(sourceType: type, minReviews: 3, limit: limit)
          .rows.count
      }
    }
    try await time("library") { try await archive.library.list(limit: limit).rows.count }
    try await time("pinned") {
      try await archive.library.list(isPinned: true, limit: limit).rows.count
    }
    try await time("recent shows") { try await archive.recent.list(limit: limit).rows.count }
    try await time("most played") { try await archive.recent.mostPlayed(limit: limit).rows.count }
    try await time("collections") { try await archive.collections.list(limit: limit).rows.count }
  }

  private func timeShow(_ archive: ConcertArchive, _ show: ShowLine) async throws {
    let id = show.showID
    try await time("a show") { try await archive.shows.show(id) == nil ? 0 : 1 }
    try await time("next show") { try await archive.shows.next(after: id).count }
    try await time("previous show") { try await archive.shows.previous(before: id).count }
    try await time("recordings of a show") { try await archive.shows.recordings(of: id).count }
    try await time("collections of a show") {
      try await archive.collections.collections(with: id).count
    }
    if let largest = try await archive.collections.list(limit: 1).rows.first {
      try await time("shows of a collection") {
        try await archive.collections.shows(of: largest.id, limit: limit).rows.count
      }
    }
    try await time("version") { try await archive.shows.version() == nil ? 0 : 1 }
  }

  private func time(_ question: String, _ body: () async throws -> Int) async throws {
    try await QuestionTimer(runs: runs).time(question, body)
  }
}
