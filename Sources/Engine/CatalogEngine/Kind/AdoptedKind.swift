package import CatalogStore
package import Projections

/// A kind whose rows come from the database of another program.
package protocol AdoptedKind: CatalogKind {
  /// The table of that database which has the rows of one of the catalog; nil if they come from elsewhere.
  ///
  /// - Parameter moments: last events of states from which the rows come. A column that one of them does not have is not of the
  ///   database's table.
  func origin(of table: TableDescription, in moments: [UInt64]) -> TableOrigin?
}

/// The table of another program's database from which rows come, by its own names.
package struct TableOrigin: Sendable {
  package let name: String
  /// The columns in the order of the catalog's table; nil in the place of one that the database does not have.
  package let columns: [String?]
  /// Columns of the database's table whose values the rows do not have, by its names.
  package let missing: [String]
  /// Columns of the database's table that came after one of the states, by its names. They are in `missing`, too.
  package let later: [String]
  /// Whether the database's table can have more columns than `columns` and `missing`.
  package let canHaveMore: Bool
  /// The places of columns in which no two rows of the database have the same values.
  package let uniques: [[Int]]
  /// The places of columns in which no two rows have values that the order of a unique index takes for the same.
  package let foldedUniques: [[Int]]
  /// The names of unique indexes over values that the rows do not have: expressions and generated columns.
  package let otherUniques: [String]
  /// Whether the database can have further unique columns.
  package let canHaveMoreUniques: Bool
  /// The places of columns whose values in the catalog can be older than those of the database. No statement expects them.
  package let stale: Set<Int>
  /// The place of a key that the catalog adds because rows of the table have none; nil if it adds none.
  package let addedKey: Int?
  /// Whether rows are known by all of their values.
  package let isKeyless: Bool
  /// Whether the table has a `rowid`; nil if that is not known.
  package let hasRowIDs: Bool?
  /// The name by which the catalog knows the database.
  package let database: String
  /// The number of a row among rows that are equal, from 1, by an added key.
  package let numberAmongEqual: @Sendable (StoredValue) -> Int

  package init(
    _ name: String, columns: [String?], missing: [String], later: [String] = [],
    canHaveMore: Bool = false,
    uniques: [[Int]], foldedUniques: [[Int]] = [], otherUniques: [String] = [],
    canHaveMoreUniques: Bool = false, stale: Set<Int> = [], addedKey: Int? = nil, isKeyless: Bool,
    hasRowIDs: Bool? = nil, database: String,
    numberAmongEqual: @escaping @Sendable (StoredValue) -> Int = { _ in 1 }
  ) {
    (self.name, self.columns, self.addedKey) = (name, columns, addedKey)
    (self.missing, self.later) = (missing + later, later)
    (self.canHaveMore, self.uniques, self.stale) = (canHaveMore, uniques, stale)
    (self.foldedUniques, self.otherUniques) = (foldedUniques, otherUniques)
    self.canHaveMoreUniques = canHaveMoreUniques
    (self.isKeyless, self.hasRowIDs, self.database) = (isKeyless, hasRowIDs, database)
    self.numberAmongEqual = numberAmongEqual
  }

  /// Whether a row of the database can have values that the catalog's row does not have.
  package var isPartial: Bool { !missing.isEmpty || canHaveMore }
}
