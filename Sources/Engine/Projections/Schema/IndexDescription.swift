/// A way to find rows other than by their whole key: an SQL index, or a leading part of the key.
package struct IndexDescription: Sendable {
  /// Name of the SQL index; nil if the primary key or a UNIQUE constraint serves already.
  package let name: String?
  package let columns: [Int]
  /// The `CREATE INDEX` statement, for an index with a name.
  package let sql: String?
  /// The rows that it has; nil if it has all.
  package let condition: IndexCondition?
}

/// The rows of a partial index: those whose integer in a column is above or below a number.
package struct IndexCondition: Sendable {
  package let column: Int
  package let isAbove: Bool
  package let bound: Int64

  package func isMet(by integer: Int64) -> Bool {
    isAbove ? integer > bound : integer < bound
  }
}

/// An index of a table, as a description of the table gives it.
public struct TableIndex: Sendable {
  let name: String?
  let columns: [IndexedColumn]
  let isUnique: Bool
  /// The rows that it has, by an integer column; nil if it has all.
  let part: (column: String, isAbove: Bool, bound: Int64)?

  /// An SQL index.
  ///
  ///     .index("recent_shows_played", on: [.descending("last_played_timestamp")])
  public static func index(
    _ name: String, on columns: [IndexedColumn], unique: Bool = false
  ) -> TableIndex {
    precondition(SQLName.isFree(name), "\"\(name)\" is not a name for an index")
    return TableIndex(name: name, columns: columns, isUnique: unique, part: nil)
  }

  /// A search that needs no SQL index of its own: the key begins with these columns, or they are unique.
  public static func lookup(_ columns: [IndexedColumn]) -> TableIndex {
    TableIndex(name: nil, columns: columns, isUnique: false, part: nil)
  }

  /// An index of one integer column, of the rows for which it is above or below a number.
  static func part(_ name: String, on column: String, isAbove: Bool, _ bound: Int64) -> TableIndex {
    TableIndex(
      name: name, columns: [.ascending(column)], isUnique: false, part: (column, isAbove, bound))
  }

  func sql(of table: String) -> String? {
    name.map { name in
      let list = columns.map { SQLName.quoted($0.name) + ($0.isDescending ? " DESC" : "") }
      let condition =
        part.map { " WHERE \(SQLName.quoted($0.column)) \($0.isAbove ? ">" : "<") \($0.bound)" }
        ?? ""
      return
        "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQLName.quoted(name)) ON \(SQLName.quoted(table))"
        + "(\(list.joined(separator: ", ")))\(condition)"
    }
  }
}

/// A column of an index and the direction in which the index has it.
public struct IndexedColumn: Sendable {
  let name: String
  let isDescending: Bool

  public static func ascending(_ name: String) -> IndexedColumn {
    IndexedColumn(name: name, isDescending: false)
  }

  public static func descending(_ name: String) -> IndexedColumn {
    IndexedColumn(name: name, isDescending: true)
  }
}

extension IndexedColumn: ExpressibleByStringLiteral {
  public init(stringLiteral name: String) {
    self.init(name: name, isDescending: false)
  }
}
