import CatalogModel
package import GRDB
package import Projections
import Support

/// Proves rows of a database by its running digests: what the rows are now, added up, must be what the projector
/// wrote, added up as it wrote.
///
/// Not Sendable: it lives inside one read of the database, whose snapshot it speaks of.
package final class RowProof {
  private let database: Database

  /// - Throws: `StoreError` with `stale` if the rows were written without digests of this version, `drifted` if the
  ///   digests or the checkpoint were changed by hand.
  package init(_ database: Database) throws {
    self.database = database
    switch try RunningDigests.standing(database) {
    case .none, .whole: break
    case .stale: throw StoreError.withoutDigests
    case .changed: throw StoreError.changedDigests
    }
  }

  /// A part of a table whose rows are not what the projector wrote.
  package struct Drift: Hashable, Sendable {
    package let stretch: Int64
    /// Rows that are there.
    package let rows: Int64
    /// Rows that should be.
    package let expected: Int64
  }

  /// Reads all rows of a table, and no index, in the order in which they are stored.
  ///
  /// - Parameter body: takes each row; what it does with them counts when this returns no drift.
  /// - Throws: `StoreError` with `drifted` if a cell is not of its column's type.
  package func scan(
    _ table: TableDescription, _ body: ([Value]) throws -> Void
  ) throws -> [Drift] {
    try scan(table, statement(table)) { statement, digester in
      let digest = digester.digest(statement)
      try body(statement.row(of: table))
      return digest
    }
  }

  /// Reads all rows of a table as cells, which are valid until `body` returns, without making values of them.
  func scanCells(
    _ table: TableDescription, _ body: ([PackedCell]) throws -> Void
  ) throws -> [Drift] {
    let types = table.columns.map(\.type)
    var stored = types.map { _ in PreparedStatement.Cell.null }
    var cells = types.map { _ in PackedCell.null }
    return try scan(table, statement(table)) { statement, digester in
      // SQLite is asked for a cell once: its calls cost more than the sum.
      for column in stored.indices {
        stored[column] = statement.cell(column)
        cells[column] = PackedCell(stored[column], types[column])
      }
      try body(cells)
      return digester.digest { stored[$0] }
    }
  }

  /// Reads all rows of a table for their sums alone, and makes no values.
  package func check(_ table: TableDescription) throws -> [Drift] {
    try scan(table, statement(table)) { $1.digest($0) }
  }

  /// Whether the indexes of a table have all of its rows: one that lacks a row hides it from a search, and the rows
  /// add up all the same.
  func areIndexesWhole(of table: TableDescription) throws -> Bool {
    try IntegrityCheck.isWhole(table, in: database)
  }

  /// The sums of a table's stretches, as the projector wrote them.
  func sums(of table: TableDescription) throws -> [Int64: RowSum] {
    try RunningDigests.sums(of: table.name, database)
  }

  /// Reads the rows of a stretch, one after another: their pictures may be more than fits into memory.
  ///
  /// - Parameters:
  ///   - bounds: of the first value of its keys.
  ///   - body: takes each row; the rows count if this returns true.
  /// - Returns: whether they are what the projector wrote.
  /// - Throws: `StoreError` with `drifted` if a cell is not of its column's type.
  func scan(
    _ stretch: Int64, between bounds: (least: Value, greatest: Value), in table: TableDescription,
    _ body: ([Value]) throws -> Void
  ) throws -> Bool {
    let statement = try PreparedStatement(
      database, try TableReading(table, database).range, [bounds.least, bounds.greatest])
    let digester = RowDigester(table)
    var sum = RowSum()
    while try statement.step() {
      sum.add(digester.digest(statement))
      try body(statement.row(of: table))
    }
    let known = try PreparedStatement(
      database, "SELECT rows, digest FROM projection_digest WHERE table_name = ? AND stretch = ?",
      [.text(table.name), .integer(stretch)])
    let expected = try known.step() ? RunningDigests.sum(known, 0) : RowSum()
    return sum == expected
  }

  private func statement(_ table: TableDescription) throws -> PreparedStatement {
    try PreparedStatement(database, try TableReading(table, database).all)
  }

  private func scan(
    _ table: TableDescription, _ statement: PreparedStatement,
    _ digest: (PreparedStatement, RowDigester) throws -> RowDigest
  ) throws -> [Drift] {
    let digester = RowDigester(table)
    let leading = table.key[0]
    let type = table.leadingType
    var sums = StretchSums()
    while try statement.step() {
      sums.add(
        try digest(statement, digester), to: RowStretch.of(statement.cell(leading), type))
    }
    let found = sums.finish()
    let expected = try RunningDigests.sums(of: table.name, database)
    return Set(found.keys).union(expected.keys).sorted().compactMap { stretch in
      let found = found[stretch] ?? RowSum()
      let expected = expected[stretch] ?? RowSum()
      return found == expected
        ? nil : Drift(stretch: stretch, rows: found.rows, expected: expected.rows)
    }
  }
}

extension PackedCell {
  /// Takes a cell as its column has it. One that the projector did not write may be any: the sum of the rows says so.
  fileprivate init(_ cell: PreparedStatement.Cell, _ type: ColumnType) {
    self =
      switch (cell, type) {
      case (.null, _): .null
      case (.integer(let integer), _): .integer(integer)
      case (.real(let real), _): .real(real)
      case (.text(let bytes), .id): EntityID(utf8: bytes).map { .id($0) } ?? .text(bytes)
      case (.text(let bytes), .time): Timestamp(utf8: bytes).map { .time($0) } ?? .text(bytes)
      case (.text(let bytes), _): .text(bytes)
      case (.blob(let bytes), _): .blob(bytes)
      }
  }
}

extension StoreError {
  /// The rows were written without digests of this version since the database was opened.
  static var withoutDigests: StoreError {
    StoreError(
      .stale,
      "the rows of this database cannot be verified, because its digests were removed or are those of another version of the "
        + "program; open the catalog again, or run \(do: .rebuild)")
  }

  /// The digests or the checkpoint were changed by hand.
  static var changedDigests: StoreError {
    StoreError(
      .drifted,
      "\(ErrorMessage(RunningDigests.changed)): \(StoreError.drift)")
  }

  /// - Parameter tables: whose rows are not what the projector wrote.
  package static func drifted(tables: [String]) -> StoreError {
    let rows =
      tables.count == 1
      ? "the rows of \(tables[0]) are" : "the rows of \(tables.joined(separator: ", ")) are"
    return StoreError(.drifted, "\(rows) not what the log says: \(StoreError.drift)")
  }
}
