import GRDB
import Projections
import Recoveries

/// Rows of a database, each proved before it is handed out: what a change is planned on.
///
/// A question is answered out of rows in memory, which were read from the table and whose sum is that of the digests:
/// they are all rows of their stretch that the projector wrote, and no others, whatever an index says. The first
/// question for a row of a stretch reads it. A search by another index than the key asks SQLite which row that is, where
/// there can be one alone; for any other the whole table is read, since what was changed by hand may be missing from
/// what an index leads to.
///
/// SQLite answers each question as well, and has to give the same answer: a change is applied by what its indexes say.
final class ProvedRowStore: RowStore {
  /// What SQLite says.
  private let indexed: SQLiteRowStore
  private let proof: RowProof
  /// The rows of the stretches and tables that are proved; what it has of others is not asked for.
  private let known: MemoryRowStore
  private var proved: Set<Stretch> = []
  private var provedTables: Set<Int> = []
  /// Whose indexes are compared with their rows.
  private var comparedTables: Set<Int> = []
  /// Of which nothing is handed out any more: `known` may have rows of theirs that are not proved.
  private var driftedTables: Set<Int> = []

  private struct Stretch: Hashable {
    let table: Int
    let number: Int64
  }

  init(_ database: Database, schema: Schema) throws {
    indexed = SQLiteRowStore(database, schema: schema)
    proof = try RowProof(database)
    known = MemoryRowStore(schema: schema)
  }

  func holds(_ table: TableDescription) -> Bool { indexed.holds(table) }

  func row(in table: TableDescription, key: [Value]) throws -> [Value]? {
    try table.require(key: key)
    try prove(key[0], in: table)
    let row = try known.row(in: table, key: key)
    try require(
      try answer(table) { try indexed.row(in: table, key: key) }.map { [$0] } ?? [],
      row.map { [$0] } ?? [], table)
    return row
  }

  func rows(by index: IndexReference, equal values: [Value]) throws -> [[Value]] {
    let table = index.table
    try table.require(values, by: index.ordinal)
    let columns = index.description.columns
    let found = try answer(table) { try indexed.rows(by: index, equal: values) }
    if columns.first == table.key[0] {
      try prove(values[0], in: table)
    } else if let row = found.first, found.count == 1, table.hasOne(columns, values) {
      return [try proved(row, columns, values, in: table)]
    } else {
      try prove(table, withIndexes: true)
    }
    let rows = try known.rows(by: index, equal: values)
    try require(found, rows, table)
    return rows
  }

  func rows(in table: TableDescription) throws -> [[Value]] {
    // No index leads to them; whoever plans on all rows changes them through indexes.
    try prove(table, withIndexes: true)
    return known.rows(in: table)
  }

  func greatestKey(in table: TableDescription) throws -> Int64? {
    // The greatest one may be one that should not be there; one that is gone shows where its stretch is read.
    try prove(table, withIndexes: true)
    let greatest = known.greatestKey(in: table)
    guard try answer(table, { try indexed.greatestKey(in: table) }) == greatest else {
      throw StoreError.drifted(tables: [table.name])
    }
    return greatest
  }

  func put(_ row: [Value], in table: TableDescription) throws { throw Self.readOnly }

  func remove(key: [Value], from table: TableDescription) throws { throw Self.readOnly }

  private static var readOnly: StoreError {
    StoreError(.invalidRequest, "these rows are for planning and cannot be written")
  }

  /// The row that an index led to, out of its stretch, where it is the one that was asked for.
  private func proved(
    _ row: [Value], _ columns: [Int], _ values: [Value], in table: TableDescription
  ) throws -> [Value] {
    let key = table.key(of: row)
    try prove(key[0], in: table)
    guard let proved = try known.row(in: table, key: key),
      zip(columns, values).allSatisfy({ proved[$0] == $1 })
    else { throw StoreError.drifted(tables: [table.name]) }
    return proved
  }

  /// What SQLite answers. One whose index leads to a row that is not there says that the file is damaged.
  private func answer<Answer>(
    _ table: TableDescription, _ body: () throws -> Answer
  ) throws -> Answer {
    do {
      return try body()
    } catch let error as StoreError where error.code == .notADatabase {
      throw StoreError.drifted(tables: [table.name])
    }
  }

  /// - Throws: `StoreError` with `drifted` where SQLite's answer is another one than that of the proved rows.
  private func require(
    _ found: [[Value]], _ rows: [[Value]], _ table: TableDescription
  ) throws {
    let isSame =
      found.count == rows.count
      && zip(found, rows).allSatisfy { found, row in
        zip(found, row).allSatisfy { $0 == $1 }
      }
    guard isSame else { throw StoreError.drifted(tables: [table.name]) }
  }

  private func prove(_ value: Value, in table: TableDescription) throws {
    let number = RowStretch.of(value, table)
    let stretch = Stretch(table: table.ordinal, number: number)
    guard !provedTables.contains(table.ordinal), !proved.contains(stretch) else { return }
    guard let bounds = RowStretch.bounds(number, table) else {
      return try prove(table, withIndexes: false)
    }
    try keep(table) {
      guard let rows = try proof.rows(of: number, between: bounds, in: table) else { return false }
      for row in rows { try known.put(row, in: table) }
      return true
    }
    proved.insert(stretch)
  }

  /// - Parameter withIndexes: whether to compare all of the table's indexes with its rows, and not what they answer
  ///   alone: a change that is planned on the whole table is applied through them.
  private func prove(_ table: TableDescription, withIndexes: Bool) throws {
    if withIndexes, !comparedTables.contains(table.ordinal) {
      guard try proof.areIndexesWhole(of: table) else {
        throw StoreError.drifted(tables: [table.name])
      }
      comparedTables.insert(table.ordinal)
    }
    guard !provedTables.contains(table.ordinal) else { return }
    try keep(table) { try proof.scan(table, { try known.put($0, in: table) }).isEmpty }
    provedTables.insert(table.ordinal)
  }

  /// Keeps rows in `known`.
  ///
  /// - Parameter read: returns whether they are proved. Rows that are fit their table.
  private func keep(_ table: TableDescription, _ read: () throws -> Bool) throws {
    guard !driftedTables.contains(table.ordinal) else {
      throw StoreError.drifted(tables: [table.name])
    }
    driftedTables.insert(table.ordinal)
    do {
      guard try read() else { throw StoreError.drifted(tables: [table.name]) }
    } catch let error as ProjectionError where [.invalidRow, .duplicate].contains(error.code) {
      throw StoreError.drifted(tables: [table.name])
    }
    driftedTables.remove(table.ordinal)
  }
}

extension TableDescription {
  /// Whether at most one row has these values in these columns.
  fileprivate func hasOne(_ columns: [Int], _ values: [Value]) -> Bool {
    guard columns.count == 1, key == columns || uniques.contains(columns) else { return false }
    // NULL is the same as nothing: any number of rows may have it.
    if case .null = values[0] { return false }
    return true
  }
}
