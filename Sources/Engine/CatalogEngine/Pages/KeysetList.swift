import CatalogStore
public import Projections

/// A list of rows that is read page by page: a query, and the keys by which its rows are ordered.
///
/// A page begins behind the keys of the row that ended the one before, not at a number of rows: rows that come or go
/// meanwhile shift nothing, and an index that begins with the first key finds the page at once.
///
/// ```swift
/// let byTitle = KeysetList(
///   "books by title", as: Book.table, from: "book", where: "reader IS NULL",
///   orderedBy: [KeysetKey("title", \.title), KeysetKey("id", \.id)])
/// let page = try await shelf.page(of: byTitle, limit: 20)
/// let next = try await shelf.page(of: byTitle, limit: 20, after: page.next)
/// ```
public struct KeysetList<Row: Sendable>: Sendable {
  /// Tells a list from others: a cursor belongs to one.
  public let name: String
  let shape: TypedTable<Row>
  let columns: String
  let source: String
  let condition: String
  let arguments: [Value]
  let keys: [KeysetKey<Row>]
  let isDescending: Bool
  let isGrouped: Bool

  /// - Parameters:
  ///   - name: with all that makes the list another one: `shows of 1977`.
  ///   - shape: the columns, in their order; a table, or the description of one that no schema has.
  ///   - columns: what SQL calls them; nil for their names.
  ///   - source: what follows FROM.
  ///   - condition: SQL that the rows fulfil.
  ///   - arguments: for each `?` of `columns`, `source` and `condition`, in this order.
  ///   - keys: none of them ever NULL; together, no two rows have the same.
  ///   - isDescending: whether all keys are.
  ///   - isGrouped: whether rows of `source` with the same keys are one row of the list; `columns` may then have
  ///     aggregates, as `count(*)`. A page reads the rows of its own groups only where an index begins with the keys.
  public init(
    _ name: String, as shape: TypedTable<Row>, columns: String? = nil, from source: String,
    where condition: String = "true", _ arguments: [any ColumnValue] = [],
    orderedBy keys: [KeysetKey<Row>], isDescending: Bool = false, isGrouped: Bool = false
  ) {
    precondition(!keys.isEmpty, "a list has an order")
    self.name = name
    self.shape = shape
    self.columns = columns ?? shape.description.columnList
    self.source = source
    self.condition = condition
    self.arguments = arguments.map(\.columnValue)
    self.keys = keys
    self.isDescending = isDescending
    self.isGrouped = isGrouped
  }

  /// The statement of a page; its last argument is the most rows.
  ///
  /// - Parameter isIncluded: whether the page begins with the row of the cursor, if that is in the list.
  func sql(isFirst: Bool, isIncluded: Bool = false) -> String {
    let order = keys.map { isDescending ? "\($0.sql) DESC" : $0.sql }.joined(separator: ", ")
    let names = keys.map(\.sql).joined(separator: ", ")
    let marks = keys.map { _ in "?" }.joined(separator: ", ")
    let comparison = (isDescending ? "<" : ">") + (isIncluded ? "=" : "")
    let behind = isFirst ? "" : " AND (\(names)) \(comparison) (\(marks))"
    let groups = isGrouped ? " GROUP BY \(names)" : ""
    return
      "SELECT \(columns) FROM \(source) WHERE (\(condition))\(behind)\(groups) ORDER BY \(order) LIMIT ?"
  }
}

/// A key of a list's order.
public struct KeysetKey<Row>: Sendable {
  let sql: String
  let type: ColumnType
  let value: @Sendable (Row) -> Value

  /// - Parameters:
  ///   - sql: the column, or an expression.
  ///   - property: what a row has of it.
  public init<Cell: ColumnValue>(
    _ sql: String, _ property: any KeyPath<Row, Cell> & Sendable
  ) {
    precondition(!Cell.isNullable && Cell.columnType != .blob, "\(sql) cannot order a list")
    self.sql = sql
    type = Cell.columnType
    value = { $0[keyPath: property].columnValue }
  }
}

/// A page of a list.
public struct KeysetPage<Row: Sendable>: Sendable {
  public let rows: [Row]
  /// Where the next page begins; nil if this is the last.
  public let next: KeysetCursor?
  /// How many rows the whole list has; nil if they were not counted.
  public let total: Int?

  public init(rows: [Row], next: KeysetCursor?, total: Int? = nil) {
    self.rows = rows
    self.next = next
    self.total = total
  }
}

extension KeysetPage: Equatable where Row: Equatable {}
extension KeysetPage: Hashable where Row: Hashable {}

extension EventCatalog {
  /// Reads a page of a list.
  ///
  /// - Parameters:
  ///   - limit: the most rows, 1 or more.
  ///   - cursor: the end of the page before; nil for the first page.
  /// - Throws: `StoreError`: `invalidLimit`; `cursorOfAnotherList` for a cursor that another list gave.
  public func page<Row>(
    of list: KeysetList<Row>, limit: Int, after cursor: KeysetCursor? = nil
  ) async throws -> KeysetPage<Row> {
    try await read { try $0.page(of: list, limit: limit, after: cursor) }
  }
}

extension CatalogSnapshot {
  /// The same within a snapshot.
  public func page<Row>(
    of list: KeysetList<Row>, limit: Int, after cursor: KeysetCursor? = nil
  ) throws -> KeysetPage<Row> {
    try Self.requireLimit(limit)
    let start = try cursor.map { try self.start(of: list, after: $0) } ?? []
    // One row more shows whether there is another page.
    let rows = try rows(
      as: list.shape, of: list.sql(isFirst: cursor == nil),
      values: list.arguments + start + [.integer(Int64(limit) + 1)])
    let page = Array(rows.prefix(limit))
    guard rows.count > limit, let last = page.last else { return KeysetPage(rows: page, next: nil) }
    return KeysetPage(
      rows: page, next: KeysetCursor(list: list.name, list.keys.map { $0.value(last) }))
  }

  /// The keys after which a page begins.
  ///
  /// A cursor has only the beginning of a long key. The row that has it is found among those whose keys begin so. If it
  /// is gone, the page begins with the first of them: it may repeat rows, and leaves none out.
  private func start<Row>(
    of list: KeysetList<Row>, after cursor: KeysetCursor
  ) throws -> [Value] {
    let keys = try cursor.keys(of: list.name, list.keys.map(\.type))
    guard let long = keys.firstIndex(where: { if case .long = $0 { true } else { false } }) else {
      return keys.map { if case .value(let value) = $0 { value } else { .null } }
    }
    // No text that begins with a prefix comes after it with the greatest scalars at its end.
    let greatest = list.isDescending ? String(repeating: "\u{10FFFF}", count: 4) : ""
    let edge = keys.map { key -> Value in
      switch key {
      case .value(let value): value
      case .long(let prefix, _): .text(prefix + greatest)
      }
    }
    var place = edge
    var isIncluded = true
    while true {
      let rows = try rows(
        as: list.shape, of: list.sql(isFirst: false, isIncluded: isIncluded),
        values: list.arguments + place + [.integer(64)])
      for row in rows {
        let values = list.keys.map { $0.value(row) }
        if zip(keys, values).allSatisfy({ $0.matches($1) }) { return values }
        guard case .long(let prefix, _) = keys[long], case .text(let text) = values[long],
          text.utf8.starts(with: prefix.utf8)
        else { return edge }
        place = values
      }
      guard rows.count == 64 else { return edge }
      isIncluded = false
    }
  }

  static func requireLimit(_ limit: Int) throws(StoreError) {
    guard limit >= 1, limit < Int.max else {
      throw StoreError(.invalidLimit, "a page has 1 row or more, not \(limit)")
    }
  }

  /// How SQLite finds a page of a list, a line a step: for tests that hold that an index does.
  public func plan<Row>(of list: KeysetList<Row>, isFirst: Bool = false) throws -> [String] {
    let start: [Value] = isFirst ? [] : list.keys.map { _ in .null }
    return try rows(
      as: PlanStep.shape, of: "EXPLAIN QUERY PLAN \(list.sql(isFirst: isFirst))",
      values: list.arguments + start + [.integer(1)]
    ).map(\.detail)
  }
}

/// A line of `EXPLAIN QUERY PLAN`.
private struct PlanStep: Sendable {
  var id: Int64
  var parent: Int64
  var unused: Int64
  var detail: String

  static let shape = TypedTable(
    "plan", key: ["id"], Field("id", \PlanStep.id), Field("parent", \PlanStep.parent),
    Field("unused", \PlanStep.unused), Field("detail", \PlanStep.detail), make: PlanStep.init)
}
