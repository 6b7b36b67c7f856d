import GRDB
import Projections
import Recoveries

/// Rows of a database, each proved before it is handed out: what a change is planned on.
///
/// A row is proved with its stretch, once. A search by another index than the key proves the rows that it finds,
/// which is enough where they are unique; else all of the table, since what was changed by hand may be missing
/// from what was found.
final class ProvedRowStore: RowStore {
  private let rows: SQLiteRowStore
  private let proof: RowProof
  private var proved: Set<Stretch> = []
  private var provedTables: Set<Int> = []

  private struct Stretch: Hashable {
    let table: Int
    let number: Int64
  }

  init(_ database: Database, schema: Schema) throws {
    rows = SQLiteRowStore(database, schema: schema)
    proof = try RowProof(database)
  }

  func holds(_ table: TableDescription) -> Bool { rows.holds(table) }

  func row(in table: TableDescription, key: [Value]) throws -> [Value]? {
    try table.require(key: key)
    try prove(key[0], in: table)
    return try rows.row(in: table, key: key)
  }

  func rows(by index: IndexReference, equal values: [Value]) throws -> [[Value]] {
    let table = index.table
    let columns = index.description.columns
    try table.require(values, by: index.ordinal)
    if columns.first == table.key[0] {
      try prove(values[0], in: table)
      return try rows.rows(by: index, equal: values)
    }
    let found = try rows.rows(by: index, equal: values)
    if columns.count == 1, found.count == 1, table.isUnique(columns[0]) {
      try prove(found[0][table.key[0]], in: table)
    } else {
      try prove(table)
    }
    return found
  }

  func greatestKey(in table: TableDescription) throws -> Int64? {
    // The greatest one may be one that should not be there; one that is gone shows where its stretch is read.
    try prove(table)
    return try rows.greatestKey(in: table)
  }

  func put(_ row: [Value], in table: TableDescription) throws { throw Self.readOnly }

  func remove(key: [Value], from table: TableDescription) throws { throw Self.readOnly }

  private static var readOnly: StoreError {
    StoreError(.invalidRequest, "these rows are for planning and cannot be written")
  }

  private func prove(_ value: Value, in table: TableDescription) throws {
    let stretch = RowStretch.of(value, table)
    guard !provedTables.contains(table.ordinal),
      !proved.contains(Stretch(table: table.ordinal, number: stretch))
    else { return }
    guard try proof.isProved(stretch, of: table) else {
      throw StoreError.drifted(tables: [table.name])
    }
    proved.insert(Stretch(table: table.ordinal, number: stretch))
  }

  private func prove(_ table: TableDescription) throws {
    guard !provedTables.contains(table.ordinal) else { return }
    guard try proof.check(table).isEmpty, try proof.areIndexesWhole(of: table) else {
      throw StoreError.drifted(tables: [table.name])
    }
    provedTables.insert(table.ordinal)
  }
}

extension TableDescription {
  /// Whether no two rows have the same value in a column.
  fileprivate func isUnique(_ column: Int) -> Bool {
    key == [column] || uniques.contains([column])
  }
}
