/// Rows in memory: what a rebuild folds the whole log into before it writes any table.
///
/// Not Sendable: one fold owns it.
package final class MemoryRowStore: RowStore {
  package let schema: Schema
  @exclusivity(unchecked) private var tables: [PackedTable]
  private let blobs = BlobPool()
  private let clock: VersionClock?

  /// - Parameter keepsVersions: whether it keeps each row as every batch left it; `beginBatch`, `willApply` and `endBatch`
  ///   tell it where batches and events begin.
  package init(schema: Schema, keepsVersions: Bool = false) {
    self.schema = schema
    let clock = keepsVersions ? VersionClock() : nil
    self.clock = clock
    tables = []
    tables = schema.tables.map {
      PackedTable($0, blobs, schema.limits, versions: clock.map(RowVersions.init))
    }
  }

  /// Bytes of the long blobs, each counted once.
  package var blobByteCount: Int { blobs.byteCount }

  package func holds(_ table: TableDescription) -> Bool { schema.holds(table) }

  package func row(in table: TableDescription, key: [Value]) throws -> [Value]? {
    try tables[table.ordinal].row(key: key)
  }

  package func put(_ row: [Value], in table: TableDescription) throws {
    try tables[table.ordinal].put(row)
  }

  package func remove(key: [Value], from table: TableDescription) throws {
    try tables[table.ordinal].remove(key: key)
  }

  package func rows(by index: IndexReference, equal values: [Value]) throws -> [[Value]] {
    try tables[index.table.ordinal].rows(index: index.ordinal, equal: values)
  }

  package func value(_ column: Int, in table: TableDescription, key: [Value]) throws -> Value? {
    try tables[table.ordinal].value(column, key: key)
  }

  package func value(
    _ column: Int, by index: IndexReference, equal values: [Value]
  ) throws -> Value? {
    try tables[index.table.ordinal].value(column, index: index.ordinal, equal: values)
  }

  package func greatestKey(in table: TableDescription) -> Int64? {
    tables[table.ordinal].greatestKey
  }

  /// All rows of a table, in key order.
  package func rows(in table: TableDescription) -> [[Value]] {
    tables[table.ordinal].rows
  }

  /// Visits all rows of a table in any order.
  ///
  /// - Parameter visit: gets the cells in column order, which are valid until it returns.
  package func forEachRow(
    in table: TableDescription, _ visit: ([PackedCell]) throws -> Void
  ) rethrows {
    try tables[table.ordinal].forEachRow(visit)
  }

  package func count(of table: TableDescription) -> Int {
    tables[table.ordinal].count
  }

  // MARK: Versions

  /// Notes that the rows are changed by the events of a batch.
  package func beginBatch(first sequence: UInt64) {
    clock?.batch = sequence
  }

  /// Notes that the rows are changed by an event.
  package func willApply(_ sequence: UInt64) {
    clock?.sequence = sequence
  }

  /// Ends a batch.
  ///
  /// - Parameter visit: gets each row that the batch replaced or removed, and each that it wrote, in column order.
  /// - Returns: its effect on the tables that it changed.
  package func endBatch(
    _ visit: (_ table: Int, _ cells: [PackedCell], _ isBefore: Bool) -> Void
  ) -> [TableStep] {
    var steps: [TableStep] = []
    for place in tables.indices {
      if let step = tables[place].endBatch({ visit(place, $0, $1) }) { steps.append(step) }
    }
    return steps
  }

  /// All versions of a table's rows, which the store forgets.
  package func drainVersions(_ table: TableDescription) -> TableVersions {
    let packed = tables[table.ordinal]
    tables[table.ordinal] = PackedTable(table, blobs, schema.limits)
    return TableVersions(packed)
  }

  /// All rows of a table, which the store forgets: a bulk write needs no memory for tables that are
  /// written.
  package func drain(_ table: TableDescription) -> PackedRows {
    let packed = tables[table.ordinal]
    tables[table.ordinal] = PackedTable(table, blobs, schema.limits)
    return PackedRows(packed)
  }

  /// The same, with each row's cells in column order handed over, rows in key order.
  package func drain(
    _ table: TableDescription, _ body: ([PackedCell]) throws -> Void
  ) rethrows {
    let rows = drain(table)
    var cells = Array(repeating: PackedCell.null, count: table.columns.count)
    for row in 0..<rows.count {
      rows.read(row, into: &cells)
      try body(cells)
    }
  }
}
