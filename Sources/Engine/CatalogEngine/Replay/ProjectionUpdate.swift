import CatalogModel
package import CatalogStore
import EventLog
import Projections
import Support

/// Carries a projection from its checkpoint to the log's head, event by event.
///
/// Needs no lock on the log: each transaction reads the checkpoint that is committed and goes on from
/// there, so that two processes that catch up at once do the work once.
package struct ProjectionUpdate {
  private let log: CatalogLog
  private let projection: ProjectionDatabase
  private let progress: ProgressObserver

  /// Where more than these are missing, short batches share transactions of so many events.
  private static let eventsPerTransaction: UInt64 = 50_000

  package init(
    _ log: CatalogLog, _ projection: ProjectionDatabase,
    progress: @escaping ProgressObserver = { _ in }
  ) {
    self.log = log
    self.projection = projection
    self.progress = progress
  }

  /// Applies what is missing.
  ///
  /// - Parameters:
  ///   - last: stop after the batch that holds this sequence; nil goes to the head.
  ///   - batchesPerTransaction: how many batches share a transaction at least; 1 in normal use.
  package func catchUp(through last: UInt64? = nil, batchesPerTransaction: Int = 1) throws {
    let wasThere = try projection.checkpoint() != nil
    do {
      try resume(through: last, batchesPerTransaction)
    } catch let error as ProjectionError where wasThere {
      throw error.adding(
        "; if \(do: .check) finds the log intact, \(StoreError.drift)"
      )
    }
  }

  private func resume(through last: UInt64?, _ batchesPerTransaction: Int) throws {
    let applied = { try projection.checkpoint()?.head }
    guard let (logID, end) = try log.reader.end(applied: applied) else { return }
    // Where nothing is missing, readers need not wait for another process that writes.
    let known = try projection.checkpoint()
    let fingerprint = log.kind.fingerprint
    // A server is not asked once more whether that was all.
    let last = last ?? (log.reader.keepsOthersOut ? .max : end.sequence)
    if known == Checkpoint(logID: logID, head: end, fingerprint: fingerprint) { return }
    var behind = end.sequence - min(known?.sequence ?? 0, end.sequence)
    let applier = EventApplier(logID, log.kind)
    var steps = ProgressSteps(total: end.sequence, progress)
    var replay: EventReplay?
    var position: LogHead?
    var reached: UInt64 = 0
    var epoch = try known == nil ? 0 : projection.epoch()
    var isDone = false
    while !isDone {
      try projection.update(events: behind) { checkpoint, store in
        try checkpoint?.require(madeBy: fingerprint)
        let committed = checkpoint?.head ?? LogHead.empty(logID)
        if committed.sequence < reached {
          // A rebuild by another program replaces all rows, perhaps with those of an earlier head.
          let now = try checkpoint == nil ? 0 : projection.epoch()
          guard now > epoch else {
            throw StoreError(
              .drifted,
              "the checkpoint went back from event \(reached) to event \(committed.sequence): something changes "
                + "it, perhaps a trigger: \(StoreError.drift)")
          }
          epoch = now
        }
        reached = committed.sequence
        if replay == nil || position != committed {
          replay = try EventReplay(log, after: checkpoint == nil ? nil : committed)
          // A log that lacks the checkpoint has said so by now.
          try projection.requireTrueCheckpoint()
          position = committed
        }
        var head: LogHead?
        var batches = 0
        while batches < batchesPerTransaction
          || behind > Self.eventsPerTransaction
            && (head?.sequence ?? 0) < committed.sequence + Self.eventsPerTransaction
        {
          guard (head ?? committed).sequence < last else {
            isDone = true
            break
          }
          let batch = try replay?.nextBatch { block, range in
            try applier.apply(block, range, to: store)
            steps.reached(block.sequence(at: range.upperBound - 1))
          }
          guard let batch else {
            isDone = true
            break
          }
          head = batch.head
          batches += 1
        }
        behind = end.sequence - min(head?.sequence ?? end.sequence, end.sequence)
        let conflicts = applier.takeConflicts()
        guard let head else { return nil }
        position = head
        reached = head.sequence
        return ProjectionAdvance(
          Checkpoint(logID: logID, head: head, fingerprint: fingerprint), conflicts: conflicts)
      }
    }
  }
}
