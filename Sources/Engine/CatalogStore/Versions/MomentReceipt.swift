import CatalogModel
package import EventLog
package import GRDB
package import Projections
import Support

/// How many rows each table has at a moment, and the sum of the digests of their rows (`RowDigest`).
///
/// A history has it for the end of each batch, and a database of that moment has it with its checkpoint. Two states with the
/// same receipt have the same rows, but for an intent to deceive: a `Receipt` has SHA-256 for that.
package struct MomentReceipt: Hashable, Sendable {
  private struct Table: Hashable {
    let name: String
    let sum: RowSum
  }

  private let checkpoint: Checkpoint
  private let tables: [Table]

  /// The last event of the moment, with its chain hash.
  package var head: LogHead { checkpoint.head }

  /// Reads a database of the moment.
  package init(of schema: Schema, in database: Database) throws {
    guard let checkpoint = try Checkpoint.read(database) else {
      throw StoreError(.notADatabase, "the database has no checkpoint: no projector made it")
    }
    self.init(
      of: schema, try schema.tables.map { try $0.keptSum(in: database) }, at: checkpoint)
  }

  /// Reads a history.
  ///
  /// - Parameter sequence: the last event of a batch that it has.
  package init(
    of history: HistorySchema, at sequence: UInt64, in database: Database
  ) throws {
    let batch = try PreparedStatement(
      database, "SELECT chain FROM history_batch WHERE last = \(sequence)")
    guard let mark = try HistoryMark.read(database), try batch.step(),
      case .blob(let chain) = batch.cell(0), chain.count == 32
    else {
      throw StoreError(.drifted, "the history has no batch that ends with event \(sequence)")
    }
    let head = LogHead(sequence: sequence, chain: ChainHash(bytes: Array(chain)))
    self.init(
      of: history.schema,
      try history.schema.tables.map {
        try HistorySchema.sum(of: $0, through: sequence, in: database)
      },
      at: Checkpoint(logID: mark.logID, head: head, fingerprint: mark.fingerprint))
  }

  /// - Parameter sums: of each table of the schema.
  package init(of schema: Schema, _ sums: [RowSum], at checkpoint: Checkpoint) {
    self.checkpoint = checkpoint
    tables = zip(schema.tables, sums).map { Table(name: $0.name, sum: $1) }
  }

  /// The last event of the moment.
  package var sequence: UInt64 { checkpoint.sequence }

  /// The rows of a table, as numbers.
  package struct Sum: Hashable, Sendable {
    package let table: String
    package let rows: Int64
    /// In hexadecimal digits.
    package let digest: String
  }

  /// The sums of all tables, in the order of the schema.
  package var sums: [Sum] {
    tables.map { Sum(table: $0.name, rows: $0.sum.rows, digest: Hex.string($0.sum.digest.bytes)) }
  }

  /// The names of the tables that have other rows in another state.
  package func tables(differingFrom other: MomentReceipt) -> [String] {
    zip(tables, other.tables).filter { $0 != $1 }.map(\.0.name)
  }

  /// Makes the receipt again from the rows themselves: it differs if the rows are not those that the receipt is of.
  ///
  /// - Parameter database: has the tables of the schema, or views with their names.
  package func counted(from schema: Schema, in database: Database) throws -> MomentReceipt {
    MomentReceipt(
      of: schema, try schema.tables.map { try $0.countedSum(in: database) }, at: checkpoint)
  }

  /// Canonical JSON: fixed key order, one table a line, a newline at the end.
  package var json: String {
    var lines = [
      "{", "  \"format\": 1,",
      "  \"log\": {\"id\": \"\(checkpoint.logID)\", \"sequence\": \(checkpoint.sequence), "
        + "\"chain\": \"\(checkpoint.head.chain)\"},",
      "  \"projector\": \"\(checkpoint.fingerprint)\",", "  \"tables\": [",
    ]
    for (index, sum) in sums.enumerated() {
      lines.append(
        "    {\"table\": \"\(sum.table)\", \"rows\": \(sum.rows), \"digest\": \"\(sum.digest)\"}"
          + (index < tables.count - 1 ? "," : ""))
    }
    lines += ["  ]", "}"]
    return lines.joined(separator: "\n") + "\n"
  }
}

extension TableDescription {
  /// How many rows a database has, and the sum of their digests, counted from the rows.
  package func countedSum(in database: Database) throws -> RowSum {
    let digester = RowDigester(self)
    let statement = try PreparedStatement(database, "SELECT \(columnList) FROM \(sqlName)")
    var sum = RowSum()
    while try statement.step() { sum.add(digester.digest(statement)) }
    return sum
  }

  /// How many rows a database has, and the sum of their digests, as its running digests say.
  package func keptSum(in database: Database) throws -> RowSum {
    try RunningDigests.sums(of: name, database).values.reduce(into: RowSum()) { $0.add($1) }
  }
}
