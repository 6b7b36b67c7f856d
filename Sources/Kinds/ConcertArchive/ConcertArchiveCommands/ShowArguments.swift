import ArgumentParser
import CatalogEngine
import ConcertArchive
import EngineCommands

/// The show that a command is about.
struct ShowArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The show's id.", valueName: "show"))
  var show: String
}

/// Which part of a list to show.
struct ShowPageOptions: ParsableArguments {
  @Option(name: .long, help: ArgumentHelp("List at most this many.", valueName: "n"))
  var limit = 50

  @Option(
    name: .long,
    help: ArgumentHelp("Continue after the page that printed this cursor.", valueName: "cursor"))
  var after: String?

  func validate() throws {
    try OptionBounds.requireCount(limit, "--limit")
  }

  func cursor() throws -> KeysetCursor? { try after.map { try KeysetCursor($0) } }
}

extension Console {
  /// Writes a page: each row as lines, with `summarize` after them, or as JSON.
  func write<Row, JSON: Encodable>(
    _ page: KeysetPage<Row>, _ noun: String, _ format: OutputFormat, json: (Row) -> JSON,
    text: (Row) -> [String]
  ) throws {
    switch format {
    case .text:
      for row in page.rows {
        for line in text(row) { write(line) }
      }
      summarize(page, noun)
    case .json:
      try write(json: PageJSON(rows: page.rows.map(json), next: page.next?.description))
    }
  }

  /// Writes how many rows a page has, and how to get the next one, to standard error.
  func summarize<Row>(_ page: KeysetPage<Row>, _ noun: String) {
    error(
      Count.of(page.rows.count, noun)
        + (page.next.map { "; the next page: --after \($0)" } ?? ""))
  }
}

extension ShowLine {
  /// `1977-05-08-…  Barton Hall, Ithaca, NY, USA`
  var text: String {
    let place = [venueName, city, state, country].compactMap { $0 }.filter { !$0.isEmpty }
    // A state that is the country is said once.
    let places = place.enumerated().filter { $0 == 0 || place[$0 - 1] != $1 }.map(\.1)
    return "\(showID)  \(places.joined(separator: ", "))" + (isInLibrary ? "  (saved)" : "")
  }
}

/// A show of a list, as JSON.
struct ShowLineJSON: Encodable {
  let showId: String
  let date: String
  let showSequence: Int64
  let venue: String
  let city: String?
  let state: String?
  let country: String
  let recordingCount: Int64
  let averageRating: Double?
  let isInLibrary: Bool

  init(_ line: ShowLine) {
    showId = line.showID
    date = line.date
    showSequence = line.showSequence
    venue = line.venueName
    city = line.city
    state = line.state
    country = line.country
    recordingCount = line.recordingCount
    averageRating = line.averageRating
    isInLibrary = line.isInLibrary
  }
}

/// A page of shows as JSON.
struct PageJSON<Row: Encodable>: Encodable {
  let rows: [Row]
  let next: String?
}
