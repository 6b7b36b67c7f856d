package import GRDB
package import Projections
import Support

/// The tables of a history: for each table of a catalog some with the versions of its rows, and a row for each batch of the log.
///
///     history_checkpoint(id, format, log_id, sequence, chain, fingerprint, rows, digest)
///     history_batch(last, first, chain, at, operation, source)
///     history_event(first, type, at, operation, source)
///     history_step(tbl, last, rows, added, removed, changed, digest)
///     history_conflict(sequence, type, message)
///     history_generation(tbl, number, start, indexed_after, ended, first_end, last_beginning)
///     g0_library_item(id, kind, …, _from, _to, _mixed, _vid)
///
/// `history_event` has a row for the first of events one after another that have the same type; what its batch says of
/// them is NULL there.
/// `history_step` has a row for each batch and each table that it changed: how many rows the table has after it, what it did
/// to them, and the sum of their digests (`RowDigest`), which is that of the running digests of a live database there.
/// `history_checkpoint` has the sum of all other rows (`HistorySum`).
/// `history_generation` has a row for each table of versions (`HistoryGeneration`).
package struct HistorySchema: Sendable {
  /// Grows whenever the same log makes another file.
  package static let format: Int64 = 3

  /// The tables of the catalog.
  package let schema: Schema
  package let fingerprint: ProjectorFingerprint
  let rule: GenerationRule

  package init(
    _ schema: Schema, _ fingerprint: ProjectorFingerprint, _ rule: GenerationRule = GenerationRule()
  ) {
    self.schema = schema
    self.fingerprint = fingerprint
    self.rule = rule
  }

  /// The name of the view that has all versions of a table's rows; nil if a table of the catalog has that name.
  package func versionsView(of table: TableDescription) -> String? {
    let name = "\(table.name)_history"
    return schema.tables.contains { $0.isNamed(name) } ? nil : name
  }

  /// The names of the tables, and of the views of their versions.
  package var viewNames: [String] {
    schema.tables.flatMap { [$0.name] + [versionsView(of: $0)].compactMap(\.self) }
  }

  /// The tables of a history's file, but for `history_checkpoint`.
  func tables(_ generations: HistoryGenerations) -> [TableDescription] {
    schema.tables.flatMap { generations.all(of: $0).map(versions) } + Self.own.tables
  }

  /// The table that has the versions of a generation.
  func versions(_ generation: HistoryGeneration) -> TableDescription {
    let table = schema.tables[generation.table]
    return table.versions(generation.name(table), indexedAfter: generation.indexedAfter)
  }

  /// The tables that describe the log.
  package static let own: Schema = {
    var schema = Schema()
    schema.add(batches)
    schema.add(events)
    schema.add(steps)
    schema.add(conflicts)
    schema.add(HistoryGeneration.description)
    return schema
  }()

  static let batches = TableDescription(
    "history_batch",
    columns: [
      Column("last", .integer), Column("first", .integer), Column("chain", .blob),
      Column("at", .time), Column("operation", .id), Column("source", .text),
    ], key: ["last"])

  static let events = TableDescription(
    "history_event",
    columns: [
      Column("first", .integer), Column("type", .text), Column("at", .time, nullable: true),
      Column("operation", .id, nullable: true), Column("source", .text, nullable: true),
    ], key: ["first"])

  static let steps = TableDescription(
    "history_step",
    columns: [
      Column("tbl", .integer), Column("last", .integer), Column("rows", .integer),
      Column("added", .integer), Column("removed", .integer), Column("changed", .integer),
      Column("digest", .blob),
    ], key: ["tbl", "last"])

  static let conflicts = TableDescription(
    "history_conflict",
    columns: [Column("sequence", .integer), Column("type", .text), Column("message", .text)],
    key: ["sequence"])

  private static let checkpoint = """
    CREATE TABLE history_checkpoint (
      id INTEGER PRIMARY KEY CHECK(id = 1),
      format INTEGER NOT NULL,
      log_id TEXT NOT NULL,
      sequence INTEGER NOT NULL,
      chain TEXT NOT NULL,
      fingerprint TEXT NOT NULL,
      rows INTEGER NOT NULL,
      digest BLOB NOT NULL
    )
    """

  /// How many rows a table has after an event, and the sum of their digests.
  package static func sum(
    of table: TableDescription, through sequence: UInt64 = .max, in database: Database
  ) throws -> RowSum {
    let step = try PreparedStatement(
      keptBy: database,
      "SELECT rows, digest FROM history_step WHERE tbl = ? AND last <= ? ORDER BY last DESC LIMIT 1"
    )
    try step.bind([.integer(Int64(table.ordinal)), .sequence(sequence)])
    guard try step.step() else { return RowSum() }
    guard let sum = RunningDigests.sum(step, 0) else {
      throw StoreError(.drifted, "history_step has no digest of \(table.name)")
    }
    return sum
  }

  /// Makes tables and their indexes, empty.
  static func create(_ tables: [TableDescription], _ database: Database) throws {
    try database.execute(sql: checkpoint)
    for table in tables {
      try database.execute(sql: table.sql)
      try createIndexes(of: table, database)
    }
  }

  static func createIndexes(of table: TableDescription, _ database: Database) throws {
    for index in table.indexes {
      if let sql = index.sql { try database.execute(sql: sql) }
    }
  }
}
