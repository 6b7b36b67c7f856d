import CatalogModel
package import CatalogStore
import EventLog
import GRDB
package import Projections

/// One way in which replays or the live database are not what the log says.
package struct VerificationFinding: Hashable, Sendable {
  package enum Subject: String, Sendable {
    /// Two replays of the same log differ: the projector is not deterministic.
    case replay
    /// The live database differs from the replays.
    case live
    /// Of two ways to the same answer, one is wrong.
    case index
  }

  package var subject: Subject
  package var message: String
  /// For a difference in a row.
  package var row: RowDifference?
  /// The event that last wrote or removed that row; nil where none did.
  package var event: EventReference?
}

/// Holds a catalog against replays of its log.
package struct Verification {
  /// A replay that another process made: its receipt and the file it filled.
  package struct Replay: Sendable {
    package var name: String
    package var receipt: RecordedReceipt
    package var path: String

    package init(name: String, receipt: RecordedReceipt, path: String) {
      self.name = name
      self.receipt = receipt
      self.path = path
    }
  }

  package struct Report: Sendable {
    package var live: Receipt
    /// What was found; row by row up to the limit a table.
    package var findings: [VerificationFinding] = []
    /// Differing rows that were counted and not listed.
    package var unlisted = 0
    /// The events that changed nothing, because they contradict earlier ones: the same in every replay.
    package var conflicts: [ProjectionConflict] = []
  }

  private let catalog: SoundCatalog
  private let rowLimit: Int

  /// - Parameter rowLimit: how many differences a table are listed; the rest is counted.
  package init(_ catalog: SoundCatalog, rowLimit: Int = 100) {
    self.catalog = catalog
    self.rowLimit = rowLimit
  }

  /// Compares replays with each other and with the live database.
  ///
  /// - Parameter replays: called with the sequence to replay through, while a snapshot of the live
  ///   database at that sequence is held; returns the replays.
  package func run(
    _ replays: @escaping @Sendable (UInt64) throws -> [Replay]
  ) async throws -> Report {
    try await Blocking.run {
      do {
        return try catalog.projection.pool.read { try compare($0, replays) }
      } catch let error as DatabaseError {
        throw StoreError(using: error)
      }
    }
  }

  private func compare(
    _ live: Database, _ makeReplays: (UInt64) throws -> [Replay]
  ) throws -> Report {
    guard let checkpoint = try Checkpoint.read(live) else {
      throw CatalogError(
        .verification, "the live database has no checkpoint; run `catalogctl rebuild`")
    }
    let replays = try makeReplays(checkpoint.sequence)
    guard let first = replays.first else {
      throw CatalogError(.verification, "there is no replay to compare with")
    }

    var found = Findings(limit: rowLimit)
    for other in replays.dropFirst() {
      try compare(
        subject: .replay, other.path, "the \(other.name) replay", with: first, &found)
    }
    let digests = try compareLive(live, with: first, &found)
    if let log = first.receipt.log,
      log.sequence != checkpoint.sequence || log.chain != checkpoint.chain
        || log.id != checkpoint.logID
    {
      found.add(
        .live,
        "the live checkpoint (event \(checkpoint.sequence), \(checkpoint.chain.prefix(12))…) is not "
          + "what the log has there (event \(log.sequence), \(log.chain.prefix(12))…)")
    }
    try found.attribute(to: catalog.log, through: checkpoint.sequence)
    var conflicts: [ProjectionConflict] = []
    try withDatabase(first.path) { conflicts = try ConflictTable.read($0) }
    if try ConflictTable.read(live) != conflicts {
      found.add(
        .live,
        "the events that the live database lists as conflicts are not those that replays find")
    }
    if found.all.isEmpty {
      try checkDigests(of: live, &found)
    }
    if found.all.isEmpty {
      for difference in try IndexCheck.differences(in: live) { found.add(.index, difference) }
    }
    return Report(
      live: Receipt(
        checkpoint: checkpoint, schema: try SchemaListing(live).digest, tables: digests),
      findings: found.all, unlisted: found.unlisted, conflicts: conflicts)
  }

  /// Whether the running digests are those of the rows, which are right. Of a database that an earlier release made
  /// there are none to be wrong.
  private func checkDigests(of live: Database, _ found: inout Findings) throws {
    let inspection = try ProjectionInspection(live, catalog.projection.migrations)
    for drift in inspection.drifted {
      found.add(.live, "the running digests are not those of the rows: \(drift.message)")
    }
  }

  /// Two replays whose receipts are equal need no look at their rows.
  private func compare(
    subject: VerificationFinding.Subject, _ path: String, _ name: String, with first: Replay,
    _ found: inout Findings
  ) throws {
    try withDatabase(path) { other in
      try withDatabase(first.path) { expected in
        try comparison(subject, name, with: first, expected).run(on: other, &found)
      }
    }
  }

  private func compareLive(
    _ live: Database, with first: Replay, _ found: inout Findings
  ) throws -> [TableDigest] {
    var digests: [TableDigest] = []
    try withDatabase(first.path) { expected in
      digests = try comparison(.live, "the live database", with: first, expected)
        .run(on: live, &found)
    }
    try DatabaseComparison.checkIntegrity(of: live, &found)
    return digests
  }

  private func comparison(
    _ subject: VerificationFinding.Subject, _ name: String, with replay: Replay,
    _ expected: Database
  ) -> DatabaseComparison {
    DatabaseComparison(
      subject: subject, name: name, expected: expected,
      digests: DatabaseComparison.digests(of: replay.receipt))
  }

  private func withDatabase(_ path: String, _ body: (Database) throws -> Void) throws {
    var configuration = Configuration()
    configuration.readonly = true
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.read(body)
    try queue.close()
  }
}
