import Support

/// The one writer of a log. Holds the log's lock from its making until `close`.
///
/// A batch is written, made durable, and then acknowledged. Not Sendable: one owner at a time.
package final class EventLogWriter {
  package let logID: LogID
  /// The end of what is acknowledged.
  package private(set) var head: LogHead
  /// The torn tail that was cut off when this writer was made.
  package let recovery: TornTail?
  /// Why a segment that was closed could not be sealed. The log is whole without it; the next
  /// `seal` tries again.
  package private(set) var sealingFailure: (any Error)?

  private let folder: LogFolder
  private let limits: LogLimits
  private var lock: WriterLock?
  private let compressor: ZstdCompressor
  private var active: ActiveSegment?
  private var sealing: BackgroundWork<Void>?
  private var isPoisoned = false

  private struct ActiveSegment {
    let file: LogFile
    let firstSequence: UInt64
    var offset: UInt64
    var plainLength: UInt64
    var batchCount: Int
  }

  /// Takes the lock, cuts off a torn tail, and finds the log's end.
  ///
  /// - Parameters:
  ///   - logID: the id to give to a log that does not exist yet.
  ///   - knownHeads: heads that were acknowledged: the log must hold each of them.
  ///   - checksEarlier: whether to compare the CRCs of all stored bytes of earlier segments too, and of what an earlier
  ///     writer has checked.
  ///     Without it they are known by their headers, and the bytes of the last segment alone are read.
  ///   - holder: names this writer in the error that others get.
  ///   - wait: how long to wait for another writer; nil fails at once.
  ///   - willWait: called once, before it waits for another writer.
  ///   - places: what readers and writers of one log in this program share, if it stays open. Stored bytes that an
  ///     earlier writer has checked are not read again.
  /// - Throws: `locked`, `damaged`, `lostEvents`, `io`.
  package init(
    directory: String, logID newLogID: LogID? = nil, knownHeads: [LogHead] = [],
    checksEarlier: Bool = false, holder: String, wait: Duration? = nil,
    files: any FileCalls = RealFileCalls(), limits: LogLimits = .standard,
    places: VerifiedOffsets? = nil, willWait: () -> Void = {}
  ) throws {
    let folder = LogFolder(path: directory, calls: files, places: checksEarlier ? nil : places)
    self.folder = folder
    self.limits = limits
    compressor = try ZstdCompressor(level: ZstdCompressor.appendLevel)
    try EventLogError.doing("make", directory) { try files.makeDirectory(directory) }
    let lock = try WriterLock(folder, holder: holder, wait: wait, willWait: willWait)
    self.lock = lock
    let names = try folder.names() ?? []
    if names.contains(LogFolder.fileName(folder.lockPath)) { try lock.removeEarlier(in: folder) }
    // A segment that was being made and has no name yet holds nothing that was acknowledged.
    for leftover in LogFolder.leftovers(among: names) {
      try folder.remove(folder.path(leftover))
    }

    try LogCursor(folder, limits: limits, policy: checksEarlier ? .strict : .headers)
      .checkSegments()
    guard let tail = try LogTail(folder, limits: limits, checksFrames: true) else {
      guard let newLogID else { throw EventLogError.noLog(directory) }
      logID = newLogID
      head = .empty(newLogID)
      recovery = nil
      try Self.check(knownHeads, against: head, of: newLogID, in: directory)
      try folder.syncParent()
      return
    }
    logID = tail.logID
    head = tail.head
    try Self.check(knownHeads, against: tail.head, of: tail.logID, in: directory)
    for known in knownHeads where known.sequence < tail.head.sequence && known.sequence > 0 {
      try LogCursor(folder, limits: limits).seek(after: known)
    }
    if let next = tail.next {
      let file = try LogFile(folder.path(of: next.segment), .readWrite, files)
      try file.expectOneName(remedy: "put a copy of it in its place")
      recovery = try tail.torn.map { try folder.cutOff($0, from: file) }
      active = ActiveSegment(
        file: file, firstSequence: next.segment, offset: next.offset,
        plainLength: next.plainLength, batchCount: next.batchCount)
      // A writer that was killed may have left a batch, or a name, that it never made durable; from
      // here on it counts as appended, and a retry of it is told so.
      try file.syncData()
    } else {
      recovery = nil
    }
    try folder.syncNames()
  }

  private static func check(
    _ known: [LogHead], against head: LogHead, of id: LogID, in directory: String
  ) throws {
    guard known.allSatisfy({ $0.sequence > 0 || $0 == .empty(id) }) else {
      throw EventLogError.anotherLog(directory)
    }
    for known in known where known.sequence >= head.sequence && known != head {
      guard known.sequence == head.sequence else {
        throw EventLogError.ends(at: head.sequence, before: known, directory)
      }
      throw EventLogError(
        .lostEvents,
        "the log in \(directory) has a different chain hash at event \(known.sequence) than was acknowledged; "
          + "restore it from a copy",
        file: directory, sequence: known.sequence)
    }
  }

  deinit {
    // Else a segment would be sealed without the lock.
    finishSealing()
  }

  /// Begins a batch that follows `expected`.
  package func makeBatch(expecting expected: LogHead) throws -> LogBatchBuilder {
    LogBatchBuilder(after: expected, of: logID, limits: limits, compressor: compressor)
  }

  /// Appends a batch: all of it, durably, or nothing.
  ///
  /// - Throws: `headMoved` if the log has another head than the batch expects and does not hold
  ///   the same batch there already; `io` where nothing was written; `outcomeUnknown` where that
  ///   cannot be known: then this writer is unusable, and a new one that appends the same batch
  ///   gets `already` or `appended`.
  package func append(_ batch: consuming LogBatchBuilder) throws -> AppendOutcome {
    finishSealing()
    try checkUsable()
    let expected = batch.expected
    let (header, frames) = try batch.finish()
    guard header.logID == logID else {
      throw EventLogError(
        .invalidBatch, "the batch was made for a different log than the one in \(folder.path)",
        file: folder.path)
    }
    let next = LogHead(sequence: header.lastSequence, chain: header.chain)
    guard expected == head else {
      if try holds(next, after: expected) { return .already(next) }
      throw EventLogError(
        .headMoved,
        expected.sequence == head.sequence
          ? "the log in \(folder.path) holds different events up to \(head.sequence) than expected; "
            + "read it again and retry"
          : "the log in \(folder.path) is at event \(head.sequence), not at \(expected.sequence) as "
            + "expected: another writer has appended; read it again and retry",
        file: folder.path, sequence: head.sequence)
    }
    if let active, !isFull(active) {
      try write(header, frames, to: active)
    } else {
      try begin(header, frames)
    }
    head = next
    return .appended(next)
  }

  /// Whether the batch behind `expected` ends at `next`.
  private func holds(_ next: LogHead, after expected: LogHead) throws -> Bool {
    guard expected.sequence < head.sequence else { return false }
    do {
      let cursor = try EventLogReader(directory: folder.path, files: folder.calls, limits: limits)
        .cursor(after: expected)
      return try cursor.nextBatch()?.head == next
    } catch let error as EventLogError where error.code == .lostEvents {
      return false
    }
  }

  private func write(
    _ header: BatchHeader, _ frames: [UInt8], to segment: ActiveSegment
  ) throws {
    do {
      try Self.write(header, frames, to: segment.file, at: segment.offset)
    } catch let failure {
      do {
        try segment.file.truncate(to: segment.offset)
        try segment.file.syncData()
      } catch {
        // What was written of the batch may be there now, or be there again after a crash.
        isPoisoned = true
        throw unknown(
          "\(failure), and then: \(error)", header, segment.file.path, at: segment.offset)
      }
      throw failure
    }
    do {
      try segment.file.syncData()
    } catch {
      // A second sync could succeed although the data is gone: nothing is known from here on.
      isPoisoned = true
      throw unknown("\(error)", header, segment.file.path, at: segment.offset)
    }
    active?.offset += header.storedLength
    active?.plainLength += header.plainLength
    active?.batchCount += 1
  }

  private static func write(
    _ header: BatchHeader, _ frames: [UInt8], to file: LogFile, at offset: UInt64
  ) throws {
    let bytes = header.encoded()
    if frames.count <= 1 << 20 {
      // One call for a small batch.
      try file.write(bytes + frames, at: offset)
    } else {
      try file.write(bytes, at: offset)
      try file.write(frames, at: offset + UInt64(bytes.count))
    }
  }

  private func unknown(
    _ cause: String, _ header: BatchHeader, _ path: String, at offset: UInt64
  ) -> EventLogError {
    EventLogError(
      .outcomeUnknown,
      "\(cause); whether events \(header.firstSequence) to \(header.lastSequence) are on disk "
        + "is unknown: reopen the log and append them again", file: path, offset: offset,
      sequence: header.firstSequence)
  }

  private func checkUsable() throws {
    guard lock != nil else { throw EventLogError.closed(folder.path) }
    guard !isPoisoned else {
      throw EventLogError(
        .poisoned, "an earlier write to \(folder.path) failed; reopen the log",
        file: folder.path)
    }
  }

  /// Begins a segment with a batch: under another name until all of it is on disk.
  private func begin(_ header: BatchHeader, _ frames: [UInt8]) throws {
    let name = LogFolder.name(header.firstSequence)
    try folder.removeLeftover(folder.newPath(name))
    let file: LogFile
    var isWritten = false
    do {
      file = try folder.create(folder.newPath(name)) { file in
        try Self.write(header, frames, to: file, at: 0)
        isWritten = true
      }
    } catch {
      // Nothing was appended; but a disk that failed to sync gets no second chance unseen.
      isPoisoned = isWritten
      throw error
    }
    do {
      try folder.publish(folder.newPath(name), as: folder.path(name))
    } catch {
      // The name may be there already, or not, after a crash of the system.
      isPoisoned = true
      throw unknown("\(error)", header, folder.path(name), at: 0)
    }
    let hasClosed = active != nil
    active = ActiveSegment(
      file: file, firstSequence: header.firstSequence, offset: header.storedLength,
      plainLength: header.plainLength, batchCount: 1)
    if hasClosed { noteSealing { _ = try sealer.seal(before: header.firstSequence) } }
  }

  /// Closes the segment that is open where it is full, and seals it on another thread: the next append would, while
  /// somebody waits for one event. `finishSealing` waits for it, and so do `append`, `seal` and `close`.
  package func beginSealing() {
    guard lock != nil, !isPoisoned, sealing == nil, let full = active, isFull(full) else { return }
    active = nil
    do {
      // Earlier ones too, where that failed before.
      sealing = try BackgroundWork { [sealer] in
        _ = try sealer.seal(before: full.firstSequence + 1)
      }
    } catch {
      sealingFailure = error
    }
  }

  package func finishSealing() {
    guard let sealing else { return }
    self.sealing = nil
    noteSealing { try sealing.value() }
  }

  private var sealer: Sealer { Sealer(folder, limits: limits) }

  /// Keeps the failure of a sealing: the log is whole without it.
  private func noteSealing(_ body: () throws -> Void) {
    do {
      try body()
      sealingFailure = nil
    } catch {
      sealingFailure = error
    }
  }

  private func isFull(_ segment: ActiveSegment) -> Bool {
    segment.plainLength >= limits.segment
      || segment.batchCount >= min(limits.openBatches, limits.batches)
  }

  /// Closes the segment that is open and seals every segment that is not.
  ///
  /// Reads all of the log first: nothing is replaced where any of it is damaged.
  ///
  /// - Parameter step: called with the sealing of each segment, which it does.
  @discardableResult
  package func seal(
    _ step: (() throws -> SealedSegment?) throws -> SealedSegment? = { try $0() }
  ) throws -> [SealedSegment] {
    finishSealing()
    try checkUsable()
    if try folder.segments()?.isEmpty == false {
      let report = try CheckReport(of: folder, limits: limits) { _ in }
      if let finding = report.findings.first { throw finding.error }
    }
    active = nil
    let sealed = try sealer.seal(before: .max, step)
    sealingFailure = nil
    return sealed
  }

  /// Gives the lock back. Later calls fail.
  package func close() {
    finishSealing()
    active = nil
    lock = nil
  }
}
