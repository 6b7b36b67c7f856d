package import CatalogModel
package import CatalogStore
package import EventLog
package import Projections

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Makes a projection from event 1, or from rows that events made: folds the log in memory, then writes every table
/// once.
package struct ProjectionRebuild {
  private let reader: EventLogReader
  private let last: UInt64?
  private let start: ProjectionDatabase.LoadedRows?
  private let progress: ProgressObserver

  /// - Parameter last: stop after the batch that holds this sequence; nil goes to the head.
  package init(
    _ reader: EventLogReader, through last: UInt64? = nil,
    progress: @escaping ProgressObserver = { _ in }
  ) {
    self.init(reader, from: nil, through: last, progress: progress)
  }

  /// - Parameter start: rows that are proved, which the rebuild goes on from and uses up; nil for event 1.
  init(
    _ reader: EventLogReader, from start: ProjectionDatabase.LoadedRows?,
    through last: UInt64? = nil, progress: @escaping ProgressObserver
  ) {
    self.reader = reader
    self.start = start
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
      let log = try fold()
      let rows = SoundLibrarySchema.schema.tables.reduce(0) { $0 + log.rows.count(of: $1) }
      try BulkWriter(.soundLibrary).write(
        log.rows, checkpoint: log.checkpoint, conflicts: log.conflicts, to: path
      ) { written in
        progress(CatalogProgress(phase: .writing, done: written, total: rows))
      }
      return log.checkpoint
    } catch {
      unlink(path)
      throw error
    }
  }

  /// Finds out before the work, and in better words than SQLite's, whether a new file can be made there.
  static func requireNew(_ path: String) throws {
    guard access(path, F_OK) != 0 else {
      throw CatalogError(.directory, "\(path) is there already; name a new file")
    }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      throw CatalogError(
        .directory, "cannot make \(path): \(reason); name a file in a folder that can be written")
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
    let store = start?.rows ?? MemoryRowStore(schema: SoundLibrarySchema.schema)
    var conflicts: [ProjectionConflict] = []
    let checkpoint = try forEachEvent(conflicts: &conflicts) { applier, record, texts in
      try applier.apply(record, texts: texts, to: store)
    }
    return FoldedLog(
      rows: store, checkpoint: checkpoint, conflicts: (start?.conflicts ?? []) + conflicts)
  }

  /// The rows behind an event, be it in the middle of a batch. The checkpoint is that of the last whole batch.
  func fold(exactlyThrough split: UInt64) throws -> FoldedLog {
    let store = MemoryRowStore(schema: SoundLibrarySchema.schema)
    var conflicts: [ProjectionConflict] = []
    let checkpoint = try forEachEvent(upTo: split, conflicts: &conflicts) {
      applier, record, texts in
      if record.sequence <= split { try applier.apply(record, texts: texts, to: store) }
    }
    return FoldedLog(rows: store, checkpoint: checkpoint, conflicts: conflicts)
  }

  /// - Parameters:
  ///   - item: rows of tags and playlists of other items than this are left out.
  ///   - willApply: called with each event before its rows change.
  package func fold(
    into store: some RowStore, about item: EntityID? = nil,
    willApply: (EventRecord) -> Void = { _ in }
  ) throws -> Checkpoint {
    // What contradicts here may do so for the lack of what was left out.
    var conflicts: [ProjectionConflict] = []
    return try forEachEvent(about: item, conflicts: &conflicts) { applier, record, texts in
      guard let record = Self.part(of: record, about: item) else { return }
      willApply(record)
      try applier.apply(record, texts: texts, to: store)
    }
  }

  /// Hands over every event up to the last one; returns the checkpoint there.
  ///
  /// - Parameter limit: the checkpoint is the one of the last batch that ends at this event or before it; the
  ///   events of the batch that goes beyond are handed over too.
  private func forEachEvent(
    about item: EntityID? = nil, upTo limit: UInt64 = .max, conflicts: inout [ProjectionConflict],
    _ body: (EventApplier, EventRecord, ItemTexts?) throws -> Void
  ) throws -> Checkpoint {
    guard let (logID, end) = try reader.end() else {
      throw CatalogError(.noCatalog, "there is no event log to replay")
    }
    let first = try start?.checkpoint.head()
    let replay = try ReplayAhead(reader, after: first, about: item, makesTexts: true)
    defer { replay.close() }
    let applier = EventApplier(logID)
    var head = first ?? LogHead.empty(logID)
    let last = min(last ?? .max, limit)
    while head.sequence < last,
      let batch = try replay.nextPreparedBatch({ record, texts in
        try body(applier, record, texts)
        if record.sequence % 10_000 == 0 {
          progress(
            CatalogProgress(
              phase: .folding, done: Int(record.sequence),
              total: Int(min(end.sequence, last))))
        }
      }), batch.lastSequence <= limit
    {
      head = batch.head
    }
    conflicts = applier.takeConflicts()
    return Checkpoint(logID: logID, head: head)
  }
}

extension ProjectionRebuild {
  private static func part(of record: EventRecord, about item: EntityID?) -> EventRecord? {
    guard let item else { return record }
    var record = record
    guard let part = SoundLibraryProjector.part(of: record.event, about: item) else { return nil }
    record.event = part
    return record
  }
}

extension Checkpoint {
  init(logID: LogID, head: LogHead) {
    self.init(
      logID: EntityID(bytes: logID.bytes).description, sequence: head.sequence,
      chain: head.chain.hex, fingerprint: ProjectorFingerprint.soundLibrary.description)
  }

  /// The log's head that this stands for.
  func head() throws -> LogHead {
    guard let chain = ChainHash(hex: chain) else {
      throw StoreError(
        .drifted, "the projection's checkpoint was changed by hand; run `catalogctl rebuild`")
    }
    return LogHead(sequence: sequence, chain: chain)
  }
}
