import CatalogModel
import CatalogStore
import GRDB

/// Compares what the index answers with what SQL answers, for questions that the catalog itself suggests.
struct IndexCheck {
  /// How much is asked. SQL takes seconds for a question about some 100,000 items.
  enum Extent: Sendable {
    /// Of a large catalog the questions that are answered most quickly, one or more of each sort.
    case sample
    case whole
  }

  /// If there are no more items than these, everything is asked.
  private static let smallCatalog = 20_000

  private let database: Database
  private let index: SoundIndex
  private let extent: Extent
  private var differences: [String] = []

  /// What differs, a sentence each; empty if nothing does.
  ///
  /// - Throws: `StoreError` with `drifted` where rows are what no projector writes.
  static func differences(in database: Database, _ extent: Extent) throws -> [String] {
    guard let mark = try IndexMark.read(database) else { return [] }
    var index = try SoundIndex(mark, database)
    for key in Sort.Key.allCases {
      try index.make(SoundIndex.Parts(order: key, words: true), database)
    }
    let items = try database.rows(
      of: StoredRow.Origin("library_item"), "SELECT count(*) FROM library_item"
    ) { try $0.integer(0) }
    let isSmall = items.allSatisfy { $0 <= smallCatalog }
    return try differences(of: index, in: database, isSmall ? .whole : extent)
  }

  /// The same of an index that was there.
  static func differences(
    of index: SoundIndex, in database: Database, _ extent: Extent = .whole
  ) throws -> [String] {
    var check = IndexCheck(database: database, index: index, extent: extent)
    for kind in Kind.allCases { try check.run(kind) }
    return check.differences
  }

  private init(database: Database, index: SoundIndex, extent: Extent) {
    self.database = database
    self.index = index
    self.extent = extent
  }

  private mutating func run(_ kind: Kind) throws {
    // Some values of every dimension, one that is not wanted, and what can be played.
    var filters = Filters(availability: [Availability.recorded(of: kind)[0]])
    for dimension in TagDimension.all(of: kind) {
      filters[dimension] = try database.rows(
        of: TagValue.origin(dimension), "SELECT id FROM \(dimension.table) ORDER BY id LIMIT 8"
      ) { try $0.integer(0) }
    }
    var narrow = filters
    narrow.moodIDs = Array(filters.moodIDs.prefix(1))
    narrow.excluded.moodIDs = Array(filters.moodIDs.suffix(1).filter { $0 != narrow.moodIDs.first })
    narrow.availability = []
    for (name, filters) in [("no filter", Filters()), ("filters", filters), ("others", narrow)] {
      let isSample = extent == .sample
      guard !isSample || name != "filters" else { continue }
      let query = try ItemQuery(kind: kind, filters: filters, in: database)
      let selection = ItemSelection(query, index)
      let found = selection.items()
      note(try query.count(database) == found.count, "the count of \(kind) with \(name)")
      guard !isSample || filters == Filters() else { continue }
      for mode in isSample ? [.afterFilters] : FacetMode.allCases {
        let facets = FacetQuery(query: query, kind: kind, mode: mode, includesZero: true)
        note(
          try facets.fetch(database) == facets.fetch(selection, found, index),
          "the facets (\(mode)) of \(kind) with \(name)")
      }
      for key in Sort.Key.allCases {
        let sort = Sort(key, descending: name == "filters")
        let list = ItemList(
          query: query, sort: sort,
          name: ItemList.name(kind: kind, sort: sort, filters: filters, query: nil))
        let plain = try list.fetch(database, limit: 20, after: nil)
        let fast = try list.fetch(found, index, database, limit: 20, after: nil)
        note(plain == fast, "the first page by \(key) of \(kind) with \(name)")
        guard let next = plain.next else { continue }
        note(
          try list.fetch(database, limit: 20, after: next)
            == list.fetch(found, index, database, limit: 20, after: next),
          "the second page by \(key) of \(kind) with \(name)")
      }
    }
    try runSearches(kind)
  }

  private mutating func runSearches(_ kind: Kind) throws {
    guard let words = index.words, let keys = index.keys(.title) else { return }
    let titles = try database.rows(
      of: StoredRow.Origin("projection_item_text", ("number", 1)),
      """
      SELECT title, number FROM projection_item_text JOIN projection_item USING (number)
      WHERE kind = ? ORDER BY number LIMIT ?
      """, [kind.rawValue, extent == .sample ? 1 : 3]
    ) { try $0.text(0) }
    for text in titles.flatMap({ [$0, String($0.prefix(4))] }) {
      let search = try ItemSearch(
        SearchQuery(text), ItemQuery(kind: kind, filters: Filters(), in: database),
        ItemList.name(kind: kind, sort: nil, filters: Filters(), query: text), in: database)
      let plain = try search.fetch(database, limit: 20, after: nil)
      let fast = try search.fetch(database, index, words, keys, limit: 20, after: nil)
      note(plain == fast, "a search for \"\(text)\" in \(kind)")
    }
  }

  private mutating func note(_ isEqual: Bool, _ what: String) {
    if !isEqual { differences.append("\(what) is not the same from the index and from SQL") }
  }
}
