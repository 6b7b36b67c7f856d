package import CatalogModel
package import CatalogStore
import EventLog
import LibC
package import Projections
import Support

/// Makes a projection from event 1: folds the log in memory, then writes every table once.
package struct ProjectionRebuild {
  private let log: CatalogLog
  private let last: UInt64?
  private let progress: ProgressObserver

  /// - Parameter last: stop after the batch that holds this sequence; nil goes to the head.
  package init(
    _ log: CatalogLog, through last: UInt64? = nil,
    progress: @escaping ProgressObserver = { _ in }
  ) {
    self.log = log
    self.last = last
    self.progress = progress
  }

  /// Writes the projection of the whole log to a new file and syncs it.
  ///
  /// The same log gives the same bytes. Where this throws, there is no file.
  @discardableResult
  package func write(to path: String) throws -> Checkpoint {
    try Self.requireNew(path)
    do {
      let folded = try fold()
      let rows = log.kind.schema.tables.reduce(0) { $0 + folded.rows.count(of: $1) }
      try BulkWriter(log.kind.migrations).write(
        folded.rows, checkpoint: folded.checkpoint, conflicts: folded.conflicts, to: path
      ) { written in
        try log.limit?.check()
        progress(CatalogProgress(phase: .writing, done: written, total: rows))
      }
      return folded.checkpoint
    } catch {
      unlink(path)
      throw error
    }
  }

  /// Finds out before the work, and in better words than SQLite's, whether a new file can be made there.
  static func requireNew(_ path: String) throws {
    guard access(path, F_OK) != 0 else {
      throw CatalogError(.directory, "\(path) already exists; name a new file")
    }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      let reason = SystemError.words(
        for: errno, otherwise: "name a file in a folder that can be written")
      throw CatalogError(.directory, "cannot create \(path): \(reason)")
    }
    close(descriptor)
    unlink(path)
  }

  /// What a log comes to.
  package struct FoldedLog {
    package let rows: MemoryRowStore
    package let checkpoint: Checkpoint
    /// The events that changed nothing, because they contradict the rows.
    package let conflicts: [ProjectionConflict]
  }

  /// All rows of the log, in memory.
  package func fold() throws -> FoldedLog {
    let store = MemoryRowStore(schema: log.kind.schema)
    var conflicts: [ProjectionConflict] = []
    let checkpoint = try forEachBlock(conflicts: &conflicts) { applier, block, range in
      try applier.apply(block, range, to: store)
    }
    return FoldedLog(rows: store, checkpoint: checkpoint, conflicts: conflicts)
  }

  /// The rows behind an event, be it in the middle of a batch. The checkpoint is that of the last whole batch.
  func fold(exactlyThrough split: UInt64) throws -> FoldedLog {
    let store = MemoryRowStore(schema: log.kind.schema)
    var conflicts: [ProjectionConflict] = []
    let checkpoint = try forEachBlock(upTo: split, conflicts: &conflicts) {
      applier, block, range in
      let end = min(range.upperBound, block.firstPlace(after: split, from: range.lowerBound))
      if range.lowerBound < end { try applier.apply(block, range.lowerBound..<end, to: store) }
    }
    return FoldedLog(rows: store, checkpoint: checkpoint, conflicts: conflicts)
  }

  /// - Parameters:
  ///   - purpose: says which rows are wanted; others may be left out.
  ///   - willApply: called with each event before its rows change.
  package func fold(
    into store: some RowStore, for purpose: ReplayPurpose = .rows,
    willApply: @escaping (EventEnvelope) -> Void = { _ in }
  ) throws -> Checkpoint {
    // What contradicts here may do so for the lack of what was left out.
    var conflicts: [ProjectionConflict] = []
    return try forEachBlock(for: purpose, conflicts: &conflicts) { applier, block, range in
      try applier.apply(block, range, to: store, willApply: willApply)
    }
  }

  /// Applies the events up to one to some rows, and the later ones through another store, which is over the same rows.
  ///
  /// - Parameter willApply: called with each of the later events before its rows change.
  func fold(
    into rows: MemoryRowStore, then observed: some RowStore, after sequence: UInt64,
    willApply: @escaping (EventEnvelope) -> Void
  ) throws -> Checkpoint {
    var conflicts: [ProjectionConflict] = []
    return try forEachBlock(conflicts: &conflicts) { applier, block, range in
      let split = min(
        range.upperBound, block.firstPlace(after: sequence, from: range.lowerBound))
      if range.lowerBound < split {
        try applier.apply(block, range.lowerBound..<split, to: rows)
      }
      if split < range.upperBound {
        try applier.apply(block, split..<range.upperBound, to: observed, willApply: willApply)
      }
    }
  }

  /// The versions of all rows of the log; returns the checkpoint at its end.
  ///
  /// - Parameter didEnd: called after each batch.
  func fold(
    into history: HistoryBuilder, didEnd: (BatchInfo) -> Void = { _ in }
  ) throws -> Checkpoint {
    var replay: HistoryReplay<HistoryBuilder>?
    var conflicts: [ProjectionConflict] = []
    func apply(_ applier: EventApplier, _ block: any EventBlock, _ range: Range<Int>) throws {
      if replay == nil { replay = HistoryReplay(history, applier, after: .empty(applier.log)) }
      try replay?.apply(block, range)
    }
    return try forEachBlock(
      conflicts: &conflicts,
      didEnd: { batch in
        try replay?.end(batch)
        didEnd(batch)
      }, apply)
  }

  /// Hands over every event up to the last one; returns the checkpoint there.
  ///
  /// - Parameter limit: the checkpoint is the one of the last batch that ends at this event or before it; the
  ///   events of the batch that goes beyond are handed over too.
  private func forEachBlock(
    for purpose: ReplayPurpose = .rows, upTo limit: UInt64 = .max,
    conflicts: inout [ProjectionConflict],
    didEnd: (BatchInfo) throws -> Void = { _ in },
    _ body: (EventApplier, any EventBlock, Range<Int>) throws -> Void
  ) throws -> Checkpoint {
    let (logID, end) = try log.requireEnd()
    let replay = try ReplayAhead(log, for: purpose)
    defer { replay.close() }
    let applier = EventApplier(logID, log.kind)
    var head = LogHead.empty(logID)
    let last = min(last ?? .max, limit)
    var steps = ProgressSteps(total: min(end.sequence, last), progress)
    while head.sequence < last,
      let batch = try replay.nextBatch({ block, range in
        try log.limit?.check()
        try body(applier, block, range)
        steps.reached(block.sequence(at: range.upperBound - 1))
      }), batch.lastSequence <= limit
    {
      try didEnd(batch)
      head = batch.head
    }
    conflicts = applier.takeConflicts()
    return Checkpoint(logID: logID, head: head, fingerprint: log.kind.fingerprint)
  }
}
