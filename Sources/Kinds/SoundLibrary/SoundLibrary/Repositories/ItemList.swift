import CatalogEngine
import CatalogModel
import CatalogStore
import GRDB
import Projections
import Support

/// Reads one page of a sorted list by keyset: what comes behind the last item's key, so that items which
/// come or go meanwhile shift nothing. The matching items are sorted for every page.
struct ItemList {
  let query: ItemQuery
  let sort: Sort
  let name: String

  /// - Parameter limit: nil for everything that is left.
  func fetch(
    _ database: Database, limit: Int?, after cursor: KeysetCursor?
  ) throws -> KeysetPage<LibraryItemRow> {
    try Self.check(limit: limit)
    var arguments = StatementArguments()
    var condition = query.condition()
    if let cursor {
      let later = self.condition(after: try place(cursor, database))
      condition += " AND (\(later.sql))"
      arguments += later.arguments
    }
    // One more than asked for tells whether there is a next page.
    let count = limit.map { $0 == .max ? $0 : $0 + 1 } ?? -1
    let walksTitles = try Self.isPage(limit) && isMostTitles(database)
    let source =
      walksTitles
      ? "projection_item_text AS words \(Self.itemsOfWords)"
      : "library_item AS item \(key.joins)"
    let sql = """
      SELECT \(LibraryItemRow.columns), page.sort_key FROM (
        SELECT item.id, \(key.expression) AS sort_key FROM \(source)
        WHERE \(condition) ORDER BY \(order(key.expression, "item.id")) LIMIT \(count)
      ) AS page CROSS JOIN library_item AS item ON item.id = page.id
      ORDER BY \(order("page.sort_key", "page.id"))
      """
    var items: [LibraryItemRow] = []
    var last: KeysetCursor?
    var next: KeysetCursor?
    try database.forEachRow(of: LibraryItemRow.origin, sql, arguments) { row in
      if let limit, items.count == limit {
        next = last
        return
      }
      items.append(try LibraryItemRow(row))
      if items.count == limit { last = try self.cursor(at: row) }
    }
    return KeysetPage(rows: items, next: next)
  }

  /// Whether to go through all titles in their order, up to the end of the page, is less work than to sort
  /// what matches: where most of them are wanted.
  private func isMostTitles(_ database: Database) throws -> Bool {
    guard sort.key == .title, query.wantsAll, let kind = query.kind else { return false }
    var own = 0
    var all = 0
    try database.forEachRow(
      of: ItemQuery.kindCounts, "SELECT kind, visible FROM projection_kind"
    ) { row in
      let count = try row.count(1)
      if try row.text(0) == kind.rawValue { own = count }
      all = all.addingReportingOverflow(count).partialValue
    }
    return all > 0 && own >= all / 64 + (all % 64 == 0 ? 0 : 1)
  }

  /// The same from an index.
  ///
  /// - Parameter found: the items of the query.
  func fetch(
    _ found: ItemSelection.Items, _ index: SoundIndex, _ database: Database, limit: Int?,
    after cursor: KeysetCursor?
  ) throws -> KeysetPage<LibraryItemRow> {
    try Self.check(limit: limit)
    guard let keys = index.keys(sort.key), let limit, Self.isPage(limit) else {
      return try fetch(database, limit: limit, after: cursor)
    }
    var first = FirstItems(limit + 1, keys, index.ids, isDescending: sort.isDescending)
    if let cursor {
      first.skip(through: try indexPlace(place(cursor, database), keys, database))
    }
    found.forEachNumber { first.add($0) }
    return try Self.page(first.sorted, limit, index, database, key) { row, _ in
      try self.cursor(at: row)
    }
  }

  /// Reads the rows of a page.
  ///
  /// - Parameters:
  ///   - numbers: the items, one more than the limit where there is a next page.
  ///   - cursor: makes one of the last row, which has its `sort_key`, and of its item's number.
  static func page(
    _ numbers: [UInt32], _ limit: Int, _ index: SoundIndex, _ database: Database,
    _ key: (expression: String, joins: String), _ cursor: (StoredRow, UInt32) throws -> KeysetCursor
  ) throws -> KeysetPage<LibraryItemRow> {
    let shown = numbers.prefix(limit)
    let statement = try database.cachedStatement(
      sql: """
        SELECT \(LibraryItemRow.columns), \(key.expression) AS sort_key
        FROM library_item AS item \(key.joins) WHERE item.id = ?
        """)
    var items: [LibraryItemRow] = []
    var next: KeysetCursor?
    for (place, number) in shown.enumerated() {
      let id = index.ids[Int(number)].description
      // One row or none.
      try statement.forEachRow(of: LibraryItemRow.origin, [id]) { row in
        items.append(try LibraryItemRow(row))
        if place == shown.count - 1, numbers.count > shown.count { next = try cursor(row, number) }
      }
      guard items.count == place + 1 else { throw StoreError.changedByHand("library_item") }
    }
    return KeysetPage(rows: items, next: next)
  }

  /// Where a page begins in the order of an index's keys.
  private func indexPlace(
    _ place: Place, _ keys: SortKeys, _ database: Database
  ) throws -> FirstItems.Place {
    let key: UInt64
    switch place.keys.last {
    case .text(let title)?:
      return try Self.place(
        behind: title, place.id, keys, isDescending: sort.isDescending, database)
    case .time(let time)?: key = SortKeys.number(time)
    case .real(let duration)? where place.keys[0] == .integer(0): key = SortKeys.number(duration)
    default: key = SortKeys.none
    }
    return FirstItems.Place(
      key: SortKeys.place(key, isDescending: sort.isDescending), id: place.id)
  }

  /// The place of a title that perhaps no item has any more.
  static func place(
    behind title: String, _ id: EntityID, _ keys: SortKeys, isDescending: Bool,
    _ database: Database
  ) throws -> FirstItems.Place {
    guard let found = try keys.title(notBefore: title, database) else {
      // Every title is smaller.
      return isDescending ? .beginning : FirstItems.Place(key: SortKeys.lastTitle, id: .greatest)
    }
    if found.isEqual {
      return FirstItems.Place(
        key: SortKeys.place(found.key, isDescending: isDescending), id: id)
    }
    // Whole groups of titles are before and behind it.
    return isDescending
      ? FirstItems.Place(key: SortKeys.place(found.key, isDescending: true), id: .greatest)
      : FirstItems.Place(key: found.key - 1, id: .greatest)
  }

  /// What a list asks of an index. The beginning of all titles comes as quickly from SQL, and a whole list
  /// more quickly.
  static func parts(_ filters: Filters, _ sort: Sort, _ limit: Int?) -> SoundIndex.Parts {
    let isAll = filters.isEmpty && sort.key == .title
    return SoundIndex.Parts(order: sort.key, isMade: isPage(limit) && !isAll)
  }

  /// Whether so few items are wanted that to look each of them up is less work than to read in order.
  static func isPage(_ limit: Int?) -> Bool { limit ?? .max <= 1_000 }

  static func check(limit: Int?) throws {
    if let limit, limit < 1 {
      throw StoreError(.invalidLimit, "a page holds 1 item or more, not \(limit)")
    }
  }

  var key: (expression: String, joins: String) {
    sort.key == .title ? Self.titleKey : ("item.\(sort.key.column)", "")
  }

  /// Joins the items of folded words.
  private static let itemsOfWords = """
    CROSS JOIN projection_item AS numbered ON numbered.number = words.number
    CROSS JOIN library_item AS item ON item.id = numbered.item_id
    """

  static let titleKey = (expression: "words.title", joins: words)

  /// Joins the folded words of an item.
  static let words = """
    CROSS JOIN projection_item AS numbered ON numbered.item_id = item.id
    CROSS JOIN projection_item_text AS words ON words.number = numbered.number
    """

  private func order(_ key: String, _ id: String) -> String {
    let nulls = sort.key == .duration ? "\(key) IS NULL, " : ""
    return "\(nulls)\(key) \(sort.isDescending ? "DESC" : "ASC"), \(id)"
  }

  /// Where the key of a title comes from.
  static let wordsOrigin = StoredRow.Origin("projection_item_text", ("item_id", 0))

  /// The place of the sort key, behind the columns of an item.
  static let keyPlace = 9
}
