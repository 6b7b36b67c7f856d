import ArgumentParser
import Catalog
import CatalogModel
import CatalogStore
import Foundation

/// Times what a screen with a list and a sidebar asks, again and again in one process, as an app does.
struct BrowseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "browse", abstract: "Time pages, facets and searches of a catalog.")

  @Argument(help: "The folder of the catalog.")
  var catalog: String

  @Option(help: "How often each question is asked.")
  var runs = 20

  @Option(help: "music, atmosphere or sfx.")
  var kind = "sfx"

  @Flag(help: "Answer by SQL alone.")
  var sql = false

  @Option(help: "Change this item's tags between two questions, to time what follows a change.")
  var edit: String?

  func run() async throws {
    guard let kind = Kind(rawValue: kind) else { throw ValidationError("no kind: \(kind)") }
    var options = SoundCatalog.Options()
    if sql { options.indexThreshold = .max }
    let catalog = try await SoundCatalog.openExisting(CatalogDirectory(catalog), options: options)
    defer { catalog.close() }
    let library = catalog.library
    try await time("first page with facets", runs: 1) {
      try await library.fetchPage(kind: kind, limit: 20, facets: .afterFilters)
    }
    let counts = try await catalog.facets.facetCounts(kind: kind)
    let filters = Self.filters(counts)
    for mode in FacetMode.allCases {
      for (name, filters) in filters {
        let page = try await library.fetchPage(kind: kind, filters: filters, limit: 20)
        try await time("\(mode.rawValue), \(name), \(page.total) items") {
          try await library.fetchPage(kind: kind, filters: filters, limit: 20, facets: mode)
        }
      }
    }
    for key in Sort.Key.allCases {
      for isDescending in [false, true] {
        let sort = Sort(key, descending: isDescending)
        for (name, filters) in filters {
          let title = "page, \(key.rawValue)\(isDescending ? " descending" : ""), \(name)"
          let page = try await library.fetchPage(
            kind: kind, filters: filters, sort: sort, limit: 20)
          try await time(title) {
            try await library.fetchPage(
              kind: kind, filters: filters, sort: sort, limit: 20, after: page.next)
          }
        }
      }
    }
    for query in ["f", "fo", "footsteps", "silent f", "rain no", "dragons br"] {
      let page = try await library.searchPage(kind: kind, query: query, limit: 20)
      try await time("search \(query), \(page.total) items") {
        try await library.searchPage(kind: kind, query: query, limit: 20)
      }
    }
    if let edit { try await timeEdits(of: edit, catalog, kind) }
  }

  /// Three dimensions with two values each: the most frequent ones, and others.
  private static func filters(_ counts: FacetCounts) -> [(String, Filters)] {
    [("no filter", Filters())]
      + [("frequent values", 0), ("less frequent values", 6), ("rare values", 30)].map {
        name, rank in
        var filters = Filters()
        for facets in counts.dimensions.prefix(3) {
          filters[facets.dimension] = facets.facets.dropFirst(rank).prefix(2).map(\.value.id)
        }
        return (name, filters)
      }
  }

  private func timeEdits(of item: String, _ catalog: SoundCatalog, _ kind: Kind) async throws {
    guard let id = UUID(uuidString: item) else { throw ValidationError("no id: \(item)") }
    for name in ["Timed A", "Timed B"] {
      _ = try await catalog.tags.add([TagName(.moods, name)], to: id)
      try await time("facets behind an edit", runs: 1) {
        try await catalog.facets.facetCounts(kind: kind)
      }
    }
  }

  /// Prints one line of JSON: the question, and the shortest and the middle of the times in ms.
  private func time<Result>(
    _ question: String, runs: Int? = nil, _ body: () async throws -> Result
  ) async throws {
    var times: [Double] = []
    for _ in 0..<(runs ?? self.runs) {
      let start = ContinuousClock.now
      _ = try await body()
      let took = start.duration(to: .now)
      times.append(
        Double(took.components.attoseconds) / 1e15 + Double(took.components.seconds) * 1e3)
    }
    times.sort()
    let line = [
      "question": question, "shortest": times[0].formatted,
      "median": times[times.count / 2].formatted,
    ]
    let json = try JSONSerialization.data(withJSONObject: line, options: [.sortedKeys])
    FileHandle.standardOutput.write(json + [0x0A])
  }
}

extension Double {
  fileprivate var formatted: String { String(format: "%.3f", self) }
}
