import CatalogModel
package import CatalogStore
import EventLog
import Foundation
import GRDB
import Projections
import Support

/// What the live database of a catalog has that its log does not say. Reads only: nothing is caught up.
package struct LiveDrift: Sendable {
  package enum Standing: Sendable {
    /// Only events were to be read.
    case notAsked
    case missing
    /// With what SQLite says of it.
    case unreadable(String)
    /// It cannot be compared with this log: it is of another one, or ahead of it.
    case refused(ProjectionStanding)
    /// Compared with a replay up to its own checkpoint.
    case compared(Checkpoint)
  }

  package let standing: Standing
  /// How many events it has not applied yet; 0 if it could not be compared.
  package let behind: UInt64
  /// Differences of rows, as far as they are listed, and others.
  package let findings: [VerificationFinding]
  /// Differences of rows that are counted and not listed.
  package let unlisted: Int

  /// The live database, as it was when the report began.
  enum Snapshot {
    case none(Standing)
    case database(PastDatabase)

    init(of states: PastStates, live: String?) throws {
      guard let live else {
        self = .none(.notAsked)
        return
      }
      guard FileManager.default.fileExists(atPath: live) else {
        self = .none(.missing)
        return
      }
      do {
        self = .database(try PastDatabase(.live, of: states, live: live))
      } catch let error as CatalogError where error.code == .noMoment {
        self = .none(.unreadable(error.message))
      } catch let error as StoreError {
        self = .none(.unreadable(error.message))
      }
    }
  }

  /// Compares the live database of a catalog with its log, as they are now.
  ///
  /// - Parameters:
  ///   - live: the path of the database; nil if there is only a log.
  ///   - rowLimit: how many differences are kept; all are counted.
  package init(of states: PastStates, live: String?, rowLimit: Int) throws {
    // The database comes first, so that it is never ahead of the head that is read after it.
    let snapshot = try Snapshot(of: states, live: live)
    let head = try states.log.reader.requireEvents().head
    let state = try PastDatabase(behind: head.sequence, of: states)
    try self.init(snapshot, of: states, head: state, rowLimit: rowLimit)
  }

  /// - Parameter head: the state at the head, which most live databases are compared with.
  init(
    _ snapshot: Snapshot, of states: PastStates, head: PastDatabase, rowLimit: Int
  ) throws {
    switch snapshot {
    case .none(let standing): self.init(standing)
    case .database(let live):
      do {
        try self.init(live, states, head, rowLimit)
      } catch let error as DatabaseError {
        self.init(.unreadable(error.message ?? "SQLite error \(error.resultCode.rawValue)"))
      } catch let error as StoreError {
        self.init(.unreadable(error.message))
      }
    }
  }

  private init(
    _ live: PastDatabase, _ states: PastStates, _ head: PastDatabase, _ rowLimit: Int
  ) throws {
    let log = states.log
    let kind = log.kind
    let standing = try ProjectionStanding(
      live.read { try HeadEvidence($0, kind.migrations) }, in: log.reader, for: kind.fingerprint)
    guard case .within(let checkpoint) = standing else {
      self.init(.refused(standing))
      return
    }
    let expected =
      checkpoint.sequence == head.sequence
      ? head : try PastDatabase(behind: checkpoint.sequence, of: states)
    var found = Findings(limit: rowLimit)
    try live.read { live in
      try expected.read { expected in
        let schema = states.log.kind.schema
        func digests(of database: Database, _ side: Int) throws -> DatabaseDigests {
          try DatabaseDigests(of: schema, in: database) { done, total in
            states.progress(
              CatalogProgress(phase: .digesting, done: side * total + done, total: 2 * total))
          }
        }
        try DatabaseComparison(
          schema: schema, subject: .live, name: "the live database", expected: expected,
          digests: digests(of: expected, 0).tables
        ).run(on: live, digests(of: live, 1), &found)
      }
      states.progress(CatalogProgress(phase: .examining, done: 0, total: nil))
      for problem in try DatabaseComparison.integrityProblems(of: live) {
        found.add(.live, problem)
      }
    }
    try found.attribute(to: states.log, through: checkpoint.sequence)
    self.init(
      .compared(checkpoint), behind: (head.sequence ?? 0) - checkpoint.sequence, found,
      limit: rowLimit)
  }

  private init(
    _ standing: Standing, behind: UInt64 = 0, _ found: Findings = Findings(limit: 0),
    limit: Int = 0
  ) {
    var tables: [String] = []
    var counts: [String: Int] = [:]
    for table in found.all.compactMap(\.row?.table) {
      if counts[table] == nil { tables.append(table) }
      counts[table, default: 0] += 1
    }
    var left = Dictionary(
      uniqueKeysWithValues: zip(tables, RowQuota.of(limit, among: tables.map { counts[$0] ?? 0 })))
    findings = found.all.filter { finding in
      guard let table = finding.row?.table else { return true }
      left[table, default: 0] -= 1
      return left[table, default: 0] >= 0
    }
    self.standing = standing
    self.behind = behind
    unlisted = found.unlisted + found.all.count - findings.count
  }
}
