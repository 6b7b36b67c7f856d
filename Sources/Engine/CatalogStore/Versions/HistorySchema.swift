import EventLog
package import GRDB
package import Projections

/// The tables of a history: for each table of a catalog one with all versions of its rows, and a row for each batch of the
/// log.
///
///     history_checkpoint(id, format, log_id, sequence, chain, fingerprint)
///     history_batch(last, first, chain, at, operation, source)
///     history_event(first, type, at, operation, source)
///     history_step(tbl, last, rows, added, removed, changed, digest)
///     history_conflict(sequence, type, message)
///     v_library_item(id, kind, …, _from, _to, _mixed, _vid)
///
/// `history_event` has a row for the first of events one after another that have the same type; what its batch says of
/// them is NULL there.
/// `history_step` has a row for each batch and each table that it changed: how many rows the table has after it, what it did
/// to them, and the sum of their digests (`RowDigest`), which is that of the running digests of a live database there.
package struct HistorySchema: Sendable {
  /// Grows whenever the same log makes another file.
  package static let format: Int64 = 1

  /// The tables of the catalog.
  package let schema: Schema
  package let fingerprint: ProjectorFingerprint
  /// The tables of versions, by the ordinals of the tables that they are of.
  package let versions: [TableDescription]

  /// - Returns: nil if a table has a column of its own with a name that a table of versions needs.
  package init?(_ schema: Schema, _ fingerprint: ProjectorFingerprint) {
    guard schema.tables.allSatisfy(\.canHaveVersions) else { return nil }
    self.schema = schema
    self.fingerprint = fingerprint
    versions = schema.tables.map { $0.versions("v_\($0.name)") }
  }

  /// The tables that describe the log.
  static let own: Schema = {
    var schema = Schema()
    schema.add(batches)
    schema.add(events)
    schema.add(steps)
    schema.add(conflicts)
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
      fingerprint TEXT NOT NULL
    )
    """

  /// All tables that have rows, in the order in which they are written.
  var tables: [TableDescription] { versions + Self.own.tables }

  /// Makes the tables and indexes, empty.
  func create(_ database: Database) throws {
    try database.execute(sql: Self.checkpoint)
    for table in tables {
      try database.execute(sql: table.sql)
      for index in table.indexes {
        if let sql = index.sql { try database.execute(sql: sql) }
      }
    }
  }
}

/// How far a history has come.
package enum HistoryMark {
  private static let origin = StoredRow.Origin("history_checkpoint")

  /// The log, its head and the projector that a history was made of; nil if the file has another format.
  ///
  /// - Throws: `StoreError` with `drifted` if it says what no history says.
  package static func read(_ database: Database) throws -> Checkpoint? {
    guard try database.tableExists("history_checkpoint") else { return nil }
    let format = try database.firstRow(
      of: origin, "SELECT format FROM history_checkpoint WHERE id = 1"
    ) { try $0.number(0) }
    guard format == HistorySchema.format else { return nil }
    return try database.makeStatement(
      sql: "SELECT log_id, sequence, chain, fingerprint FROM history_checkpoint WHERE id = 1"
    ).firstRow(of: origin) { try Checkpoint($0) }
  }

  package static func write(_ checkpoint: Checkpoint, _ database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO history_checkpoint (id, format, log_id, sequence, chain, fingerprint)
        VALUES (1, ?, ?, ?, ?, ?)
        ON CONFLICT(id) DO UPDATE SET format = excluded.format, log_id = excluded.log_id,
          sequence = excluded.sequence, chain = excluded.chain, fingerprint = excluded.fingerprint
        """,
      arguments: [
        HistorySchema.format, checkpoint.logID.description, Int64(clamping: checkpoint.sequence),
        checkpoint.head.chain.hex, checkpoint.fingerprint.description,
      ])
  }
}
