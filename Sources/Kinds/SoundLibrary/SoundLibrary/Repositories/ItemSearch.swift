import CatalogEngine
import CatalogModel
import CatalogStore
import GRDB
import Projections
import Support

/// Finds items by words, ranked: the whole title, the beginning of a title, all words in the title, the
/// rest; equal ranks by title.
struct ItemSearch {
  private let query: ItemQuery
  private let words: SearchQuery
  private let name: String
  private let hits: [Hits]

  /// What one term finds: items by an index query, and by the values that it names.
  private struct Hits {
    let match: String
    let values: TagSelection
  }

  /// - Parameter query: what else the items must be.
  init(_ words: SearchQuery, _ query: ItemQuery, _ name: String, in database: Database) throws {
    self.words = words
    self.query = query
    self.name = name
    let dimensions = query.kind.map { TagDimension.all(of: $0) } ?? TagDimension.all
    hits = try words.terms.map { term in
      let match = term.match
      return Hits(
        match: match, values: try Self.values(named: match, among: dimensions, in: database))
    }
  }

  /// Whether nothing can be found: something was typed that has no word in it.
  private var findsNothing: Bool { words.terms.isEmpty && !words.isBlank }

  /// A page, where the next one begins, and how many items are found in all: most of the work is to find
  /// them, so it is done once for the three.
  func fetch(
    _ database: Database, limit: Int?, after cursor: KeysetCursor?
  ) throws -> ItemPage {
    try ItemList.check(limit: limit)
    let place = try place(cursor, database)
    if findsNothing { return .empty }
    var arguments = tableArguments
    if !hits.isEmpty { arguments += [words.words, words.words, words.words] }
    var keyset = ""
    if let place {
      keyset = "WHERE (rank, title, id) > (?, ?, ?)"
      arguments += StatementArguments(place.keys.map(\.sqlValue) + [place.id.description])
    }
    let count = limit.map { $0 == .max ? $0 : $0 + 1 } ?? -1
    let tables = hits.isEmpty ? "" : hitTables + ","
    let source =
      hits.isEmpty
      ? "library_item AS item \(ItemList.words)"
      : "found \(Self.items) CROSS JOIN projection_item_text AS words USING (number)"
    let sql = """
      WITH \(tables) ranked AS MATERIALIZED (
        SELECT item.id, words.title, \(rank) AS rank FROM \(source) WHERE \(query.condition())
      ), page AS MATERIALIZED (
        SELECT id, title, rank FROM ranked \(keyset) ORDER BY rank, title, id LIMIT \(count)
      )
      SELECT \(LibraryItemRow.columns), page.title AS words, page.rank AS rank, total.count AS total
      FROM (SELECT count(*) AS count FROM ranked) AS total LEFT JOIN page
      LEFT JOIN library_item AS item ON item.id = page.id
      ORDER BY page.rank, page.title, page.id
      """
    var items: [LibraryItemRow] = []
    var last: KeysetCursor?
    var next: KeysetCursor?
    var total = 0
    try database.forEachRow(of: LibraryItemRow.origin, sql, arguments) { row in
      total = try row.count(ItemList.keyPlace + 2)
      // Behind the last item there is only the total.
      if row.isNull(ItemList.keyPlace + 1) { return }
      if let limit, items.count == limit {
        next = last
        return
      }
      items.append(try LibraryItemRow(row))
      if items.count == limit {
        last = try self.cursor(at: row, rank: row.amount(ItemList.keyPlace + 1))
      }
    }
    return ItemPage(KeysetPage(rows: items, next: next), total: total)
  }

  private func place(_ cursor: KeysetCursor?, _ database: Database) throws -> ItemList.Place? {
    try cursor.map { try ItemList.Place($0, in: name, by: [.integer, .text], database) }
  }

  private func cursor(at row: StoredRow, rank: Int64) throws -> KeysetCursor {
    let title = try row.part(ItemList.wordsOrigin).text(ItemList.keyPlace)
    return KeysetCursor(list: name, [.integer(rank), .text(title), .id(try row.id(0))])
  }

  // MARK: Index

  /// What a search asks of an index: nothing where all that is found is wanted, which SQL answers.
  static func parts(_ limit: Int?) -> SoundIndex.Parts {
    SoundIndex.Parts(order: .title, words: true, isMade: ItemList.isPage(limit))
  }

  /// The same from an index that has words and the order of titles.
  func fetch(
    _ database: Database, _ index: SoundIndex, _ words: WordIndex, _ keys: SortKeys,
    limit: Int?, after cursor: KeysetCursor?
  ) throws -> ItemPage {
    guard let limit, ItemList.isPage(limit) else {
      return try fetch(database, limit: limit, after: cursor)
    }
    try ItemList.check(limit: limit)
    let place = try place(cursor, database)
    if findsNothing { return .empty }
    var found = ItemSelection(query, index).items()
    var titled = NumberSet(below: index.ids.count)
    for (place, (term, hit)) in zip(self.words.terms, hits).enumerated() {
      let matches = try matches(of: term, hit, index, words, database)
      found = found.filtered(matches.all) { matches.all.contains($0) }
      if place == 0 { titled = matches.titled } else { titled.formIntersection(matches.titled) }
    }
    let begun = try keys.titles(beginningWith: self.words.words, database)
    func rank(_ number: UInt32) -> UInt64 {
      if hits.isEmpty { return 0 }
      let key = keys.keys[Int(number)]
      if begun.contains(key) { return key == begun.equal ? 0 : 1 }
      return titled.contains(number) ? 2 : 3
    }
    var first = FirstItems(limit + 1, keys, index.ids, isDescending: false)
    if let place, case .integer(let rank) = place.keys[0], case .text(let title) = place.keys[1] {
      let start = try ItemList.place(
        behind: title, place.id, keys, isDescending: false, database)
      first.skip(
        through: FirstItems.Place(
          key: start.key | UInt64(truncatingIfNeeded: rank & 3) << 62, id: start.id))
    }
    found.forEachNumber { first.add($0, rank: rank($0)) }
    let page = try ItemList.page(
      first.sorted, limit, index, database, ItemList.titleKey
    ) { row, number in
      try self.cursor(at: row, rank: Int64(rank(number)))
    }
    return ItemPage(page, total: found.count)
  }

  /// The items that a term finds, and those that it finds by their titles.
  private func matches(
    of term: SearchQuery.Term, _ hit: Hits, _ index: SoundIndex, _ words: WordIndex,
    _ database: Database
  ) throws -> (all: NumberSet, titled: NumberSet) {
    var all = NumberSet(below: index.ids.count)
    var titled = all
    let single = term.phrases.filter { $0.count == 1 }
    for phrase in single {
      words.add(itemsWith: phrase[0], isPrefix: term.isPrefix, titles: &titled, all: &all)
    }
    // What the index has of these is not true any more.
    for (number, words) in index.changedWords {
      func has(inTitle: Bool) -> Bool {
        single.contains { words.has($0[0], isPrefix: term.isPrefix, inTitle: inTitle) }
      }
      all.set(number, to: has(inTitle: false))
      titled.set(number, to: has(inTitle: true))
    }
    // Words next to each other: the full-text index knows their places.
    let phrases = term.phrases.filter { $0.count > 1 }
    if !phrases.isEmpty {
      let match = SearchQuery.match(phrases, isPrefix: term.isPrefix)
      let limit = index.ids.count
      try Self.insert(match, into: &all, below: limit, database)
      try Self.insert(
        "{title title_variants} : (\(match))", into: &titled, below: limit, database)
    }
    for number in ItemSelection.items(with: hit.values, index) { all.insert(number) }
    return (all, titled)
  }

  private static func insert(
    _ match: String, into numbers: inout NumberSet, below limit: Int, _ database: Database
  ) throws {
    let statement = try database.cachedStatement(
      sql: "SELECT rowid FROM projection_item_search WHERE projection_item_search MATCH ?")
    try statement.forEachRow(of: StoredRow.Origin("projection_item_search"), [match]) { row in
      guard let number = UInt32(exactly: try row.integer(0)), number < limit else {
        throw StoreError.changedByHand("projection_item_search")
      }
      numbers.insert(number)
    }
  }

  // MARK: SQL

  /// `found`: the numbers of items that all terms find; `titled`: those whose titles have all of them.
  /// Numbers, not ids: the full-text index speaks of numbers.
  private var hitTables: String {
    let match = "SELECT rowid FROM projection_item_search WHERE projection_item_search MATCH ?"
    var tables = hits.enumerated().map { index, hit in
      let tagged = TagDimension.all.filter { !hit.values[$0].isEmpty }.map { dimension in
        """
        SELECT numbered.number FROM (\(ItemQuery.items(with: hit.values[dimension], dimension)))
        CROSS JOIN projection_item AS numbered USING (item_id)
        """
      }
      return "hit\(index)(number) AS (\(([match] + tagged).joined(separator: " UNION ")))"
    }
    let all = hits.indices.map { "SELECT number FROM hit\($0)" }.joined(separator: " INTERSECT ")
    tables.append("found(number) AS MATERIALIZED (\(all))")
    tables.append("titled(number) AS MATERIALIZED (\(match))")
    return tables.joined(separator: ", ")
  }

  /// Joins the items of `found`: what conditions ask for stands in `projection_item` too, which is found by number.
  private static let items = """
    CROSS JOIN (SELECT number, item_id AS id, kind, is_visible FROM projection_item) AS item USING (number)
    """

  /// What the question marks of `hitTables` stand for.
  private var tableArguments: StatementArguments {
    if hits.isEmpty { return [] }
    return StatementArguments(hits.map(\.match) + [titleMatch])
  }

  /// Finds the items whose titles have all terms.
  private var titleMatch: String {
    hits.map { "{title title_variants} : (\($0.match))" }.joined(separator: " AND ")
  }

  private var rank: String {
    hits.isEmpty
      // Nothing was typed: all items are the same.
      ? "0"
      : """
      CASE WHEN words.title = ? THEN 0 WHEN substr(words.title, 1, length(?)) = ? THEN 1
        WHEN found.number IN (SELECT number FROM titled) THEN 2 ELSE 3 END
      """
  }

  private static func values(
    named match: String, among dimensions: [TagDimension], in database: Database
  ) throws -> TagSelection {
    var selection = TagSelection()
    try database.forEachRow(
      of: StoredRow.Origin("projection_value", ("number", 2)),
      """
      SELECT value.dimension, value.value_id, value.number FROM projection_value_search AS search
      CROSS JOIN projection_value AS value ON value.number = search.rowid
      WHERE projection_value_search MATCH ?
      """, [match]
    ) { row in
      let own = try row.dimension(0)
      if dimensions.contains(own) { selection[own].append(try row.integer(1)) }
    }
    return selection
  }
}
