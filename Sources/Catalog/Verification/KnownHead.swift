import CatalogModel
import CatalogStore
import EventLog

/// What a database says of the head that it has applied, judged by the log.
///
/// The checkpoint is one witness, the head that the running digests stand at is another. A log that lacks what both
/// of them have seen has lost events. Where they contradict each other, or where the chain hash is one that the log
/// has elsewhere, somebody changed the database, and the log is sound.
enum KnownHead {
  /// The database has applied nothing of this log.
  case none
  /// The log holds it.
  case held(LogHead)
  /// The checkpoint was changed by hand. What the log holds of the other witness, if anything.
  case edited(LogHead?)
  /// The log lacks it: acknowledged events are gone.
  case lost(LogHead)

  init(_ projection: ProjectionDatabase, in log: EventLogReader) throws {
    do {
      try self.init(projection.witnesses(), in: log)
    } catch let error as StoreError where error.code == .drifted {
      // A checkpoint with something in it that none has says nothing about the log.
      self = .edited(nil)
    }
  }

  init(
    _ witnesses: (checkpoint: Checkpoint?, digests: RunningDigests.Head?), in log: EventLogReader
  ) throws {
    guard let checkpoint = witnesses.checkpoint, let logID = try log.logID(),
      checkpoint.logID == EntityID(bytes: logID.bytes).description
    else {
      self = .none
      return
    }
    let claimed = ChainHash(hex: checkpoint.chain)
      .map { LogHead(sequence: checkpoint.sequence, chain: $0) }
    let digested = witnesses.digests.flatMap { digests in
      ChainHash(hex: digests.chain).map { LogHead(sequence: digests.sequence, chain: $0) }
    }
    guard let claimed else {
      self = .edited(try digested.flatMap { try Self.isHeld($0, log) ? $0 : nil })
      return
    }
    if try Self.isHeld(claimed, log) {
      self = .held(claimed)
    } else if let digested, digested != claimed, try Self.isHeld(digested, log) {
      self = .edited(digested)
    } else if let head = try Self.head(with: claimed.chain, in: log) {
      self = .edited(head)
    } else {
      self = .lost(claimed)
    }
  }

  /// A head that the log must hold before anything is appended, repaired or replaced.
  var required: LogHead? {
    switch self {
    case .none, .edited(nil): nil
    case .held(let head), .lost(let head), .edited(let head?): head
    }
  }

  private static func isHeld(_ head: LogHead, _ log: EventLogReader) throws -> Bool {
    do {
      _ = try log.cursor(after: head)
      return true
    } catch let error as EventLogError where error.code == .lostEvents {
      return false
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
