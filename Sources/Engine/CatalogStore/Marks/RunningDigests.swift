import CatalogModel
import EventLog
import Foundation
package import GRDB
import Projections

/// The digests of a database's rows that are kept with its checkpoint, and changed with every row: what tells
/// whether a row was changed by anybody but the projector.
///
/// They are part of no receipt and of no schema digest: the rows that they stand for are. A database without them, or with
/// those of another version, is stale: nothing proves its rows, and it is rebuilt (decision 0040).
///
///     projection_digest(table_name, stretch, rows, digest)
///
/// has a row for each stretch (`RowStretch`) that has rows, and one without a table's name, whose `stretch` is
/// the version of the digests, whose `rows` is the sequence that they stand at, and whose `digest` is the
/// chain hash there and, after it, a sum over that head, all other rows of this table and those of
/// `projection_conflict`: they prove each other.
package enum RunningDigests {
  static let table = "projection_digest"
  /// Grows whenever the same rows get other digests.
  static let version: Int64 = 2

  static let sql = """
    CREATE TABLE projection_digest (
      table_name TEXT NOT NULL,
      stretch INTEGER NOT NULL,
      rows INTEGER NOT NULL,
      digest BLOB NOT NULL,
      PRIMARY KEY(table_name, stretch)
    ) WITHOUT ROWID
    """

  /// The head that the digests stand at.
  struct Head: Hashable, Sendable {
    let head: LogHead
    /// Over the head, all other rows and all conflicts; nil if it is missing.
    let sum: RowDigest?
  }

  /// How the digests of a database stand towards its checkpoint.
  enum Standing {
    /// There is no checkpoint, and nothing that would need one.
    case none
    /// They are those of the rows at the checkpoint, as they were written with it.
    case whole
    /// The rows were written without them.
    case stale
    /// They, the list of conflicts or the checkpoint were changed by hand.
    case changed
  }

  /// What is written of each table.
  typealias Sums = [(table: TableDescription, sums: [Int64: RowSum])]

  /// What `Standing.changed` means, for a person.
  static let changed =
    "the running digests, or their checkpoint, were changed by hand: the rows cannot be verified"

  // MARK: Reading

  /// The head that the digests stand at; nil if a database has none of this version.
  static func head(_ database: Database) throws -> Head? {
    guard try database.tableExists(table) else { return nil }
    let statement = try PreparedStatement(database, headQuery)
    guard try statement.step(), case .integer(let sequence) = statement.cell(0), sequence >= 0,
      case .blob(let chain) = statement.cell(1)
    else { return nil }
    return Head(sequence: UInt64(sequence), blob: Array(chain))
  }

  static let headQuery = """
    SELECT rows, digest FROM projection_digest WHERE table_name = '' AND stretch = \(version)
    """

  /// Whether a database has no digests, or only those of another version.
  static func areMissing(_ database: Database) throws -> Bool {
    try !database.tableExists(table) || database.hasRow(otherVersionQuery)
  }

  static let otherVersionQuery = """
    SELECT 1 FROM projection_digest WHERE table_name = '' AND stretch <> \(version)
    """

  /// - Throws: `StoreError` with `drifted` if the checkpoint is none that a projector writes.
  static func standing(_ database: Database) throws -> Standing {
    let checkpoint = try Checkpoint.read(database)
    if try areMissing(database) { return .stale }
    guard let head = try head(database) else {
      // Before the first event there is nothing to prove, but that there is nothing.
      let isEmpty = try !database.hasRow("SELECT 1 FROM projection_digest")
      return isEmpty && checkpoint == nil ? .none : .changed
    }
    guard let checkpoint, try areWhole(head, database) else { return .changed }
    if head.head == checkpoint.head { return .whole }
    return head.head.sequence < checkpoint.sequence ? .stale : .changed
  }

  /// The digest of the head that the digests stand at: one that is moved is noticed.
  private static func digest(_ head: LogHead) -> RowDigest {
    let bytes = withUnsafeBytes(of: head.sequence.littleEndian, Array.init) + head.chain.bytes
    return bytes.withUnsafeBytes { RowDigest($0, rowID: version) }
  }

  /// The digest of a row of this table.
  private static func digest(_ table: String, _ stretch: Int64, _ sum: RowSum) -> RowDigest {
    let bytes =
      Array(table.utf8) + [0] + withUnsafeBytes(of: stretch.littleEndian, Array.init)
      + withUnsafeBytes(of: sum.rows.littleEndian, Array.init) + sum.digest.bytes
    return bytes.withUnsafeBytes { RowDigest($0, rowID: 0) }
  }

  private static func digest(_ conflict: ProjectionConflict) -> RowDigest {
    let bytes = Array("\(conflict.type)\n\(conflict.message)".utf8)
    return bytes.withUnsafeBytes {
      RowDigest($0, rowID: Int64(clamping: conflict.sequence))
    }
  }

  /// Whether the head, the rows of this table, and the conflicts, are those that were written.
  static func areWhole(_ head: Head, _ database: Database) throws -> Bool {
    let statement = try PreparedStatement(
      database,
      """
      SELECT table_name, stretch, rows, digest FROM projection_digest
      WHERE (table_name, stretch) <> ('', \(version))
      """)
    var total = digest(head.head)
    while try statement.step() {
      guard case .text(let table) = statement.cell(0),
        case .integer(let stretch) = statement.cell(1),
        let sum = sum(statement, 2)
      else { return false }
      total = total &+ digest(String(decoding: table, as: UTF8.self), stretch, sum)
    }
    do {
      for conflict in try ConflictTable.read(database) { total = total &+ digest(conflict) }
    } catch let error as StoreError where error.code == .drifted {
      return false
    }
    return total == head.sum
  }

  /// Whether two databases have the same running digests, and the first one's are those that were written. Where their
  /// rows are the same besides, the digests of the first are those of its rows if that is so of the other.
  package static func agree(_ database: Database, _ other: Database) throws -> Bool {
    guard let head = try head(database), try head == Self.head(other) else { return false }
    return try areWhole(head, database)
  }

  /// The sums of a table's stretches.
  static func sums(of name: String, _ database: Database) throws -> [Int64: RowSum] {
    let statement = try PreparedStatement(
      database, "SELECT stretch, rows, digest FROM projection_digest WHERE table_name = ?",
      [.text(name)])
    var sums: [Int64: RowSum] = [:]
    while try statement.step() {
      // What is no digest proves nothing: its rows are found to be others.
      guard case .integer(let stretch) = statement.cell(0), let sum = sum(statement, 1) else {
        continue
      }
      sums[stretch] = sum
    }
    return sums
  }

  /// How many rows all tables have; what was written by hand may say anything.
  static func rows(_ database: Database) throws -> Int64 {
    let statement = try PreparedStatement(
      database, "SELECT CAST(total(rows) AS INTEGER) FROM projection_digest WHERE table_name <> ''")
    guard try statement.step(), case .integer(let rows) = statement.cell(0) else { return 0 }
    return max(0, rows)
  }

  /// The sum at two columns of a statement's row; nil if that is none.
  package static func sum(_ statement: PreparedStatement, _ column: Int) -> RowSum? {
    guard case .integer(let rows) = statement.cell(column),
      case .blob(let bytes) = statement.cell(column + 1), let digest = RowDigest(bytes)
    else { return nil }
    return RowSum(rows: rows, digest: digest)
  }

  // MARK: Writing

  /// Writes the digests of a whole projection.
  static func write(
    _ sums: Sums, _ conflicts: [ProjectionConflict], at checkpoint: Checkpoint,
    _ database: Database
  ) throws {
    let insert = try PreparedStatement(
      database,
      "INSERT INTO projection_digest (table_name, stretch, rows, digest) VALUES (?, ?, ?, ?)")
    var total = RowDigest.zero
    for (table, sums) in sums {
      for (stretch, sum) in sums.sorted(by: { $0.key < $1.key }) {
        total = total &+ digest(table.name, stretch, sum)
        try insert.bind([.text(table.name), .integer(stretch)] + values(of: sum))
        try insert.run()
      }
    }
    for conflict in conflicts { total = total &+ digest(conflict) }
    try writeHead(checkpoint, total, database)
  }

  /// Adds what a transaction changed.
  ///
  /// - Parameter previous: the checkpoint before it.
  /// - Throws: `StoreError` with `drifted` if the digests are not at that checkpoint.
  static func add(
    _ changes: Sums, _ conflicts: [ProjectionConflict], from previous: Checkpoint?,
    to checkpoint: Checkpoint, _ database: Database
  ) throws {
    var total = RowDigest.zero
    if let previous {
      guard let head = try head(database), let sum = head.sum, head.head == previous.head else {
        throw StoreError.changedDigests
      }
      total = sum &- digest(head.head)
    }
    let select = try PreparedStatement(
      database, "SELECT rows, digest FROM projection_digest WHERE table_name = ? AND stretch = ?")
    let upsert = try PreparedStatement(
      database,
      """
      INSERT INTO projection_digest (table_name, stretch, rows, digest) VALUES (?, ?, ?, ?)
      ON CONFLICT(table_name, stretch) DO UPDATE SET rows = excluded.rows, digest = excluded.digest
      """)
    let remove = try PreparedStatement(
      database, "DELETE FROM projection_digest WHERE table_name = ? AND stretch = ?")
    for (table, sums) in changes {
      for (stretch, change) in sums {
        let key: [Value] = [.text(table.name), .integer(stretch)]
        try select.bind(key)
        var sum = try select.step() ? Self.sum(select, 0) ?? RowSum() : RowSum()
        select.reset()
        if !sum.isZero { total = total &- digest(table.name, stretch, sum) }
        sum.add(change)
        if !sum.isZero { total = total &+ digest(table.name, stretch, sum) }
        let write = sum.isZero ? remove : upsert
        try write.bind(sum.isZero ? key : key + values(of: sum))
        try write.run()
      }
    }
    for conflict in conflicts { total = total &+ digest(conflict) }
    try writeHead(checkpoint, total, database)
  }

  private static func writeHead(
    _ checkpoint: Checkpoint, _ sum: RowDigest, _ database: Database
  ) throws {
    let total = sum &+ digest(checkpoint.head)
    try PreparedStatement(
      database,
      """
      INSERT INTO projection_digest (table_name, stretch, rows, digest) VALUES ('', ?, ?, ?)
      ON CONFLICT(table_name, stretch) DO UPDATE SET rows = excluded.rows, digest = excluded.digest
      """,
      [
        .integer(version), .sequence(checkpoint.sequence),
        .blob(checkpoint.head.chain.bytes + total.bytes),
      ]
    ).run()
  }

  /// A sum as its two columns hold it.
  private static func values(of sum: RowSum) -> [Value] {
    [.integer(sum.rows), .blob(sum.digest.bytes)]
  }
}

extension RunningDigests.Head {
  private static let chainLength = 32

  /// - Parameter blob: a chain hash and, behind it, the sum.
  init?(sequence: UInt64, blob: [UInt8]) {
    guard blob.count >= Self.chainLength else { return nil }
    self.init(
      head: LogHead(sequence: sequence, chain: ChainHash(bytes: Array(blob[..<Self.chainLength]))),
      sum: RowDigest(blob.dropFirst(Self.chainLength)))
  }
}
