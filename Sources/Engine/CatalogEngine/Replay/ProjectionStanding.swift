package import CatalogStore
package import EventLog
package import Projections

/// How a database stands towards a log: what everybody asks who writes to one of the two, or compares them.
///
/// The checkpoint is one witness of what the database has applied, the head that the running digests stand at is
/// another. A log that lacks what both of them have seen has lost events. Where they contradict each other, or where
/// the chain hash is one that the log has elsewhere, somebody changed the database, and the log is sound.
package enum ProjectionStanding: Sendable {
  /// The database has no checkpoint: it has applied nothing, or somebody took it away.
  case untouched
  /// There is no log, or none with an event.
  case withoutLog(Checkpoint)
  /// The log is another one.
  case ofAnotherLog(Checkpoint)
  /// The checkpoint was changed by hand. What the log holds of the other witness, if anything.
  case edited(LogHead?)
  /// The log lacks what the database has applied: acknowledged events are gone. In what words the log says so.
  case ahead(Checkpoint, EventLogError)
  /// The log holds it, and another projector made the rows of it: this one cannot judge them.
  case ofAnotherProjector(Checkpoint)
  /// The log holds it, and may go on behind it.
  case within(Checkpoint)

  /// - Parameter fingerprint: of the projector that asks; nil if only the log matters.
  package init(
    _ witnesses: HeadWitnesses, in log: EventLogReader,
    for fingerprint: ProjectorFingerprint? = nil
  ) throws {
    let checkpoint: Checkpoint
    switch witnesses.claim {
    case .none:
      self = .untouched
      return
    case .unreadable:
      self = .edited(
        try witnesses.digests.flatMap { try Self.refusal(of: $0, log) == nil ? $0 : nil })
      return
    case .checkpoint(let claimed): checkpoint = claimed
    }
    guard let logID = try log.logID() else {
      self = .withoutLog(checkpoint)
      return
    }
    guard checkpoint.logID == logID else {
      self = .ofAnotherLog(checkpoint)
      return
    }
    guard let refusal = try Self.refusal(of: checkpoint.head, log) else {
      let isOwn = fingerprint == nil || fingerprint == checkpoint.fingerprint
      self = isOwn ? .within(checkpoint) : .ofAnotherProjector(checkpoint)
      return
    }
    if let digested = witnesses.digests, digested != checkpoint.head,
      try Self.refusal(of: digested, log) == nil
    {
      self = .edited(digested)
    } else if let head = try Self.head(with: checkpoint.head.chain, in: log) {
      self = .edited(head)
    } else {
      self = .ahead(checkpoint, refusal)
    }
  }

  /// Of the database of a catalog that is open.
  package init(_ projection: ProjectionDatabase, in log: EventLogReader) throws {
    try self.init(projection.witnesses(), in: log)
  }

  /// Of a catalog whose database is not open.
  package init(_ directory: CatalogDirectory, in log: EventLogReader) throws {
    guard let witnesses = HeadWitnesses.peek(directory.database, isSettled: true) else {
      self = .untouched
      return
    }
    try self.init(witnesses, in: log)
  }

  /// A head that the log must hold before anything is appended, repaired or replaced.
  package var required: LogHead? {
    switch self {
    case .untouched, .withoutLog, .ofAnotherLog: nil
    case .edited(let head): head
    case .within(let checkpoint), .ahead(let checkpoint, _), .ofAnotherProjector(let checkpoint):
      checkpoint.head
    }
  }

  /// Whether somebody changed the checkpoint, and the log is sound.
  package var isEdited: Bool {
    if case .edited = self { true } else { false }
  }

  /// Why the log does not go on from a head; nil if it does.
  private static func refusal(
    of head: LogHead, _ log: EventLogReader
  ) throws -> EventLogError? {
    do {
      _ = try log.cursor(after: head)
      return nil
    } catch let error as EventLogError where error.code == .lostEvents {
      return error
    }
  }

  /// Looks through all batches: a chain hash stands for one history alone.
  private static func head(with chain: ChainHash, in log: EventLogReader) throws -> LogHead? {
    let cursor = try log.cursor()
    while let batch = try cursor.nextBatch() {
      if batch.head.chain == chain { return batch.head }
    }
    return nil
  }
}
