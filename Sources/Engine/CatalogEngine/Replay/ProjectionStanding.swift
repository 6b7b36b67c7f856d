package import CatalogStore
package import EventLog
package import Projections
import Support

/// How a database stands to a log: each caller that writes to one of the two, or compares them, switches over this.
///
/// The checkpoint is one witness of what the database has applied, the head that the running digests are at is another. A
/// log that lacks what both of them have seen has lost events. If they contradict each other, or if the log has the chain
/// hash at another sequence, the database was changed by hand, and the log is sound.
package enum ProjectionStanding: Sendable {
  /// The database has applied nothing.
  case untouched
  /// The database has rows, and no checkpoint with them: it was removed by hand.
  case unmarked
  /// There is no log, or none with an event.
  case withoutLog(Checkpoint)
  /// The checkpoint was changed by hand: the head of the other witness, if the log holds it, and why the checkpoint cannot
  /// be read, if it cannot.
  case edited(LogHead?, StoreError?)
  /// The log lacks what the database has applied, or is another one: acknowledged events are gone. The error is the log's.
  case ahead(Checkpoint, EventLogError)
  /// The log holds it, and its rows are of no use to this program: another projector made them, or nothing proves them.
  case stale(Checkpoint)
  /// The log holds it, and may have more.
  case within(Checkpoint)

  /// - Parameter fingerprint: of the projector that asks; nil if only the log matters.
  package init(
    _ witnesses: HeadEvidence, in log: any LogStore,
    for fingerprint: ProjectorFingerprint? = nil
  ) throws {
    let checkpoint: Checkpoint
    switch witnesses.claim {
    case .none:
      self = .untouched
      return
    case .unmarked:
      self = .unmarked
      return
    case .unreadable(let error):
      let held = try witnesses.digests.flatMap { try log.refusal(of: $0) == nil ? $0 : nil }
      self = .edited(held, error)
      return
    case .checkpoint(let claimed): checkpoint = claimed
    }
    guard let end = try log.end(applied: { checkpoint.head }) else {
      self = .withoutLog(checkpoint)
      return
    }
    let isOfLog = checkpoint.logID == end.logID
    let refusal = end.head == checkpoint.head ? nil : try log.refusal(of: checkpoint.head)
    if refusal == nil, !isOfLog {
      // A chain hash is that of one log alone.
      self = .edited(checkpoint.head, nil)
      return
    }
    guard let refusal else {
      // Digests of an earlier head prove nothing: the rows were changed without them since.
      let isProved =
        !witnesses.lacksDigests && (witnesses.digests?.sequence ?? .max) >= checkpoint.sequence
      let isOwn = fingerprint == nil || fingerprint == checkpoint.fingerprint && isProved
      self = isOwn ? .within(checkpoint) : .stale(checkpoint)
      return
    }
    if let digested = witnesses.digests, digested != checkpoint.head,
      try log.refusal(of: digested) == nil
    {
      self = .edited(digested, nil)
    } else if let head = try Self.head(with: checkpoint.head.chain, in: log) {
      self = .edited(head, nil)
    } else {
      self = .ahead(
        checkpoint,
        isOfLog ? refusal : LostEvents.anotherLog(end.logID, of: checkpoint, log.place))
    }
  }

  /// Of the database of a catalog that is open.
  package init(_ projection: ProjectionDatabase, in log: any LogStore) throws {
    try self.init(projection.witnesses(), in: log, for: projection.migrations.fingerprint)
  }

  /// Of a catalog whose database is not open.
  package init(_ directory: CatalogDirectory, in log: any LogStore) throws {
    let witnesses = DatabaseFile.leavingNothing(beside: directory.database) {
      HeadEvidence.peek(directory.database, isSettled: true)
    }
    guard let witnesses else {
      self = .untouched
      return
    }
    try self.init(witnesses, in: log)
  }

  /// Why no catalog is opened with such a database; nil if it is opened.
  func refusal(of directory: CatalogDirectory) -> (any Error)? {
    switch self {
    case .untouched, .stale, .within: nil
    case .unmarked:
      // Rows and checkpoint are committed together: nothing says what the rows are.
      StoreError(
        .drifted,
        "the database in \(directory.database) has rows and no checkpoint: \(StoreError.drift)")
    case .withoutLog(let checkpoint): LostEvents.withoutLog(checkpoint.sequence, directory)
    case .edited(_, let error):
      error
        ?? StoreError(
          .drifted,
          "the checkpoint in \(directory.database) names an event that the log does not have at that sequence, and the log is "
            + "intact: \(StoreError.drift)")
    case .ahead(_, let lost): lost
    }
  }

  /// A head that the log must hold before anything is appended, repaired or replaced.
  package var required: LogHead? {
    switch self {
    case .untouched, .unmarked, .withoutLog: nil
    case .edited(let head, _): head
    case .within(let checkpoint), .ahead(let checkpoint, _), .stale(let checkpoint):
      checkpoint.head
    }
  }

  /// Looks through all batches: a chain hash stands for one history alone.
  private static func head(with chain: ChainHash, in log: any LogStore) throws -> LogHead? {
    let cursor = try log.cursor()
    while let batch = try cursor.nextBatch() {
      if batch.head.chain == chain { return batch.head }
    }
    return nil
  }
}
