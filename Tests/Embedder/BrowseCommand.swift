import ArgumentParser
import CatalogModel
import CatalogStore
import Foundation
import Logging
import SoundLibrary

/// Times what a screen with a list and a sidebar asks, again and again in one process, as an app does.
///
/// Prints a line of JSON for each question: what was asked, the times in ms, and with `--answers` the answer,
/// for others to be held against.
struct BrowseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "browse", abstract: "Time pages, facets and searches of a catalog.")

  @Argument(help: "The folder of the catalog.")
  var catalog: String

  @Option(help: "How often each question is asked.")
  var runs = 20

  @Option(help: "The kind of items that are asked for.")
  var kind = "sfx"

  @Option(help: "From how many items on the index answers; SQL alone below.")
  var indexFrom: Int?

  @Flag(help: "Print the filters and the counts of facets.")
  var answers = false

  @Option(help: "An item whose tags are changed, to time what follows a change.")
  var edit: String?

  private struct Line: Encodable {
    var question: String
    var filter: String?
    var detail: String?
    var total: Int?
    /// Milliseconds.
    var shortest = 0.0
    var median = 0.0
    /// Ids of values, by dimension: what is wanted.
    var filters: [String: [Int64]]?
    /// Counts by id of value, by dimension.
    var counts: [String: [String: Int]]?
  }

  /// What is asked for: all items, or two values in each of the three first dimensions.
  private struct Choice {
    let name: String
    let filters: Filters
  }

  func run() async throws {
    guard let kind = Kind(rawValue: kind) else { throw ValidationError("no kind: \(kind)") }
    var options = SoundLibrary.Options()
    options.logger.logLevel = .error
    if let indexFrom { options.indexThreshold = indexFrom }
    let catalog = try await SoundLibrary.openExisting(CatalogDirectory(catalog), options: options)
    defer { catalog.close() }
    let library = catalog.library
    try await time(Line(question: "first"), runs: 1) {
      try await library.fetchPage(kind: kind, limit: 20, facets: .afterFilters)
    }
    let choices = Self.choices(try await catalog.facets.facetCounts(kind: kind))
    for mode in FacetMode.allCases {
      for choice in choices { try await timeFacets(library, kind, choice, mode) }
    }
    for key in Sort.Key.allCases {
      for isDescending in [false, true] {
        for choice in choices {
          try await timePage(library, kind, choice, Sort(key, descending: isDescending))
        }
      }
    }
    for query in ["f", "fo", "footsteps", "silent f", "rain no", "dragons br"] {
      let total = try await library.searchPage(kind: kind, query: query, limit: 20).total
      try await time(Line(question: "search", detail: query, total: total)) {
        try await library.searchPage(kind: kind, query: query, limit: 20)
      }
    }
    if let edit { try await timeEdits(of: edit, catalog, kind) }
  }

  private static func choices(_ counts: FacetCounts) -> [Choice] {
    [Choice(name: "none", filters: Filters())]
      + [("frequent", 0), ("middling", 6), ("rare", 30)].map { name, rank in
        var filters = Filters()
        for facets in counts.dimensions.prefix(3) {
          filters[facets.dimension] = facets.facets.dropFirst(rank).prefix(2).map(\.value.id)
        }
        return Choice(name: name, filters: filters)
      }
  }

  private func timeFacets(
    _ library: LibraryRepository, _ kind: Kind, _ choice: Choice, _ mode: FacetMode
  ) async throws {
    func page() async throws -> ItemPage {
      try await library.fetchPage(
        kind: kind, filters: choice.filters, limit: 20, facets: mode)
    }
    let answer = try await page()
    var line = Line(
      question: "facets", filter: choice.name, detail: mode.rawValue, total: answer.total)
    if answers {
      line.filters = [:]
      line.counts = [:]
      for facets in answer.facets?.dimensions ?? [] {
        line.filters?[facets.dimension.key] = choice.filters[facets.dimension]
        line.counts?[facets.dimension.key] = Dictionary(
          uniqueKeysWithValues: facets.facets.filter { $0.count > 0 }
            .map { ("\($0.value.id)", $0.count) })
      }
    }
    try await time(line, page)
  }

  private func timePage(
    _ library: LibraryRepository, _ kind: Kind, _ choice: Choice, _ sort: Sort
  ) async throws {
    let first = try await library.fetchPage(
      kind: kind, filters: choice.filters, sort: sort, limit: 20)
    let detail = sort.key.rawValue + (sort.isDescending ? " descending" : "")
    let line = Line(
      question: "page", filter: choice.name, detail: detail, total: first.total)
    try await time(line) {
      try await library.fetchPage(
        kind: kind, filters: choice.filters, sort: sort, limit: 20, after: first.next)
    }
  }

  private func timeEdits(
    of item: String, _ catalog: SoundLibrary, _ kind: Kind
  ) async throws {
    guard let id = UUID(uuidString: item) else { throw ValidationError("no id: \(item)") }
    // The first edit behind an import seals its segment.
    for number in 0..<3 {
      _ = try await catalog.tags.add([TagName(.moods, "Timed \(number)")], to: id)
      try await time(Line(question: "edited", detail: "\(number)"), runs: 1) {
        try await catalog.facets.facetCounts(kind: kind)
      }
    }
  }

  private func time<Result>(
    _ line: Line, runs: Int? = nil, _ body: () async throws -> Result
  ) async throws {
    var times: [Double] = []
    for _ in 0..<(runs ?? self.runs) {
      let start = ContinuousClock.now
      _ = try await body()
      times.append(start.duration(to: .now) / .milliseconds(1))
    }
    times.sort()
    var line = line
    line.shortest = times[0]
    line.median = times[times.count / 2]
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    Embedder.say(String(decoding: try encoder.encode(line), as: UTF8.self))
  }
}
