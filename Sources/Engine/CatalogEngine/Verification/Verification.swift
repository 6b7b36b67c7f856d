package import CatalogModel
package import CatalogStore
import EventLog
import Foundation
import GRDB
package import Projections
import Support

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
  /// The event that last wrote or removed that row; nil if none did.
  package var event: EventEnvelope?
}

/// Compares a catalog with replays of its log.
package struct Verification {
  /// The most rows that refer to no row which a report lists.
  static let listedReferences = 100

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
    /// Rows of the replays that refer to rows which do not exist, at most `listedReferences`.
    package var references: [DanglingReference] = []
  }

  private let log: CatalogLog
  private let projection: ProjectionDatabase
  private let isThorough: Bool
  private let rowLimit: Int
  private let progress: ProgressObserver

  /// - Parameters:
  ///   - isThorough: whether the index is asked everything, however many items there are.
  ///   - rowLimit: how many differences a table are listed; the rest is counted.
  ///   - progress: hears how far the live database is examined, while replays run.
  package init(
    _ catalog: OpenedCatalog, isThorough: Bool = false, rowLimit: Int = 100,
    progress: @escaping ProgressObserver = { _ in }
  ) {
    log = catalog.log
    projection = catalog.projection
    self.isThorough = isThorough
    self.rowLimit = rowLimit
    self.progress = progress
  }

  /// Compares replays with each other and with the live database, which is read while they run.
  ///
  /// - Parameter start: called with the sequence to replay through, while a snapshot of the live database at that
  ///   sequence is held; begins the replays, and returns what waits for them.
  package func run(
    _ start: @escaping @Sendable (UInt64) throws -> () throws -> [Replay]
  ) async throws -> Report {
    try await Blocking.run {
      try StoreError.translating {
        try projection.inspect { live in
          try live.withLargeCache { try compare(live, start) }
        }
      }
    }
  }

  private func compare(
    _ live: Database, _ start: (UInt64) throws -> () throws -> [Replay]
  ) throws -> Report {
    guard let checkpoint = try Checkpoint.read(live) else {
      throw CatalogError(
        .verification, "the live database has no checkpoint: \(StoreError.drift)")
    }
    let finish = try start(checkpoint.sequence)
    let digests = try DatabaseDigests(of: log.kind.schema, in: live) { done, total in
      progress(CatalogProgress(phase: .digesting, done: done, total: total))
    }
    examined(0)
    let problems = try DatabaseComparison.integrityProblems(of: live)
    let own = Result { try ownProblems(of: live) }
    let replays = try finish()
    guard let first = replays.first else {
      throw CatalogError(.verification, "there is no replay to compare with")
    }

    var found = Findings(limit: rowLimit)
    for other in replays.dropFirst() { try compare(other, with: first, &found) }
    try ReadOnlyDatabase.read(own: first.path) { expected in
      try DatabaseComparison(
        schema: log.kind.schema, subject: .live, name: "the live database", expected: expected,
        digests: first.digests
      ).run(on: live, digests, &found)
    }
    for problem in problems { found.add(.live, problem) }
    if let head = first.receipt.log,
      head.sequence != checkpoint.sequence || head.chain != checkpoint.head.chain.hex
        || head.id != checkpoint.logID.description
    {
      found.add(
        .live,
        "the live checkpoint (event \(checkpoint.sequence), \(checkpoint.head.chain.hex.prefix(12))…) is not "
          + "what the log has there (event \(head.sequence), \(head.chain.prefix(12))…)")
    }
    try found.attribute(to: log, through: checkpoint.sequence)
    let conflicts = try conflicts(of: first)
    if try ConflictTable.read(live) != conflicts {
      found.add(
        .live,
        "the events that the live database lists as conflicts differ from those that replays find")
    }
    if found.all.isEmpty, try !SchemaCheck(projection.migrations).hasOwnMigration(live) {
      found.add(.live, "the rows of grdb_migrations are not what the projector writes")
    }
    // What is made of rows says nothing where the rows are wrong.
    if found.all.isEmpty {
      let own = try own.get()
      for problem in try digestProblems(of: live, first.path) + own.problems {
        found.add(.live, problem)
      }
      if found.all.isEmpty { for difference in own.index { found.add(.index, difference) } }
    }
    let references = try ReadOnlyDatabase.read(own: first.path) {
      try DanglingReference.all(of: log.kind.schema, in: $0, limit: Self.listedReferences)
    }
    return Report(
      live: Receipt(
        checkpoint: checkpoint, schema: try SchemaListing(live).digest, tables: digests.tables),
      findings: found.all, unlisted: found.unlisted, conflicts: conflicts,
      references: references)
  }

  /// - Parameter steps: of three: SQLite's check, full-text indexes, the index in memory.
  private func examined(_ steps: Int) {
    progress(CatalogProgress(phase: .examining, done: steps, total: 3))
  }

  /// Compares the rows with what is made of them: full-text indexes, and the index in memory.
  private func ownProblems(
    of live: Database
  ) throws -> (problems: [String], index: [String]) {
    examined(1)
    let schema = log.kind.schema
    let problems =
      try ProjectionInspection.fullTextDrift(of: schema, live).map(\.message)
      + FullTextCheck.problems(of: schema, in: live, isWhole: isThorough)
    examined(2)
    let own = try (log.kind as? any SelfCheckingKind)?.problems(in: live, isThorough: isThorough)
    return (problems, own ?? [])
  }

  /// Compares the running digests with the rows, which are found to be those of a replay: where the replay has the same
  /// digests, the rows need not be read again.
  private func digestProblems(of live: Database, _ replay: String) throws -> [String] {
    let areThose = try ReadOnlyDatabase.read(own: replay) { try RunningDigests.agree(live, $0) }
    if areThose { return [] }
    let inspection = try ProjectionInspection(live, projection.migrations)
    if inspection.hasChangedDigests { return inspection.drifted.map(\.message) }
    let problems = inspection.drifted.map {
      "the running digests do not match the rows: \($0.message)"
    }
    return problems.isEmpty
      ? ["the running digests differ from those of the replay, of the same rows"] : problems
  }

  private func compare(
    _ other: Replay, with first: Replay, _ found: inout Findings
  ) throws {
    let name = "the \(other.name) replay"
    if try conflicts(of: other) != conflicts(of: first) {
      found.add(.replay, "\(name) finds different conflicts than the \(first.name) replay")
    }
    if other.receipt.log != first.receipt.log {
      found.add(
        .replay, "\(name) ends with a different head of the log than the \(first.name) replay")
    }
    // Where the receipts are equal, so are the rows.
    guard other.receipt.schema != first.receipt.schema || other.digests != first.digests else {
      return
    }
    let before = found.all.count + found.unlisted
    try ReadOnlyDatabase.read(own: other.path) { database in
      let digests = try DatabaseDigests(of: log.kind.schema, in: database)
      try ReadOnlyDatabase.read(own: first.path) { expected in
        try DatabaseComparison(
          schema: log.kind.schema, subject: .replay, name: name, expected: expected,
          digests: first.digests
        ).run(on: database, digests, &found)
      }
    }
    if found.all.count + found.unlisted == before {
      found.add(
        .replay,
        "\(name) has a different receipt than the \(first.name) replay, of the same rows: digests depend on "
          + "the process that computes them")
    }
  }

  private func conflicts(of replay: Replay) throws -> [ProjectionConflict] {
    try ReadOnlyDatabase.read(own: replay.path) { try ConflictTable.read($0) }
  }
}

extension Verification.Replay {
  fileprivate var digests: [TableDigest] {
    receipt.tables.map {
      TableDigest(table: $0.table, rows: $0.rows, exact: $0.exact ?? "", timeless: $0.timeless)
    }
  }
}
