import CatalogModel
import GRDB

/// Reads one page of a sorted list by keyset: it looks for what comes behind the last item's key, and
/// counts nothing from the beginning.
struct ItemList {
  let query: ItemQuery
  let sort: Sort
  let identity: ListIdentity

  /// - Parameter limit: nil for everything that is left.
  func fetch(
    _ database: Database, limit: Int?, after cursor: PageCursor?
  ) throws -> (items: [LibraryItemRow], next: PageCursor?) {
    try Self.check(limit: limit)
    try cursor?.require(identity)
    var arguments = StatementArguments()
    var condition = query.condition()
    if let cursor {
      let keyset = try keyset(behind: cursor.position)
      condition += " AND (\(keyset.sql))"
      arguments += keyset.arguments
    }
    // One more than asked for tells whether there is a next page.
    let count = limit.map { $0 == .max ? $0 : $0 + 1 } ?? -1
    let sql = """
      SELECT \(LibraryItemRow.columns), page.sort_key FROM (
        SELECT item.id, \(key.expression) AS sort_key FROM library_item AS item \(key.joins)
        WHERE \(condition) ORDER BY \(order(key.expression, "item.id")) LIMIT \(count)
      ) AS page CROSS JOIN library_item AS item ON item.id = page.id
      ORDER BY \(order("page.sort_key", "page.id"))
      """
    var rows = try Row.fetchAll(database, sql: sql, arguments: arguments)
    var next: PageCursor?
    if let limit, rows.count > limit {
      rows.removeLast(rows.count - limit)
      next = rows.last.map { PageCursor(list: identity.text, position: position(of: $0)) }
    }
    return (try rows.map(LibraryItemRow.init), next)
  }

  static func check(limit: Int?) throws {
    if let limit, limit < 1 {
      throw StoreError(.invalidLimit, "a page holds 1 item or more, not \(limit)")
    }
  }

  private var key: (expression: String, joins: String) {
    switch sort.key {
    case .title: ("words.title", Self.words)
    case .created: ("item.created_at", "")
    case .updated: ("item.updated_at", "")
    case .duration: ("item.duration", "")
    }
  }

  /// Joins the folded words of an item.
  static let words = """
    CROSS JOIN projection_item AS numbered ON numbered.item_id = item.id
    CROSS JOIN projection_item_text AS words ON words.number = numbered.number
    """

  private func order(_ key: String, _ id: String) -> String {
    let nulls = sort.key == .duration ? "\(key) IS NULL, " : ""
    return "\(nulls)\(key) \(sort.isDescending ? "DESC" : "ASC"), \(id)"
  }

  private func position(of row: Row) -> PageCursor.Position {
    var position = PageCursor.Position(id: row["id"])
    if sort.key == .duration {
      position.number = row["sort_key"]
    } else {
      position.text = row["sort_key"]
    }
    return position
  }

  private func keyset(
    behind position: PageCursor.Position
  ) throws -> (sql: String, arguments: StatementArguments) {
    let key = key.expression
    let order = sort.isDescending ? "<" : ">"
    if sort.key == .duration {
      guard let number = position.number else {
        return ("\(key) IS NULL AND item.id > ?", [position.id])
      }
      return (
        "\(key) \(order) ? OR \(key) = ? AND item.id > ? OR \(key) IS NULL",
        [number, number, position.id]
      )
    }
    guard let text = position.text else {
      throw StoreError(.malformedCursor, "the cursor has no key; begin again without one")
    }
    return ("\(key) \(order) ? OR \(key) = ? AND item.id > ?", [text, text, position.id])
  }
}
