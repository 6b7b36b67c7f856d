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
  private var isPoisoned = false

  private struct ActiveSegment {
    let file: LogFile
    let firstSequence: UInt64
    var offset: UInt64
    var plainLength: UInt64
  }

  package enum AppendOutcome: Hashable, Sendable {
    /// The batch is durable now.
    case appended(LogHead)
    /// The same batch was appended before: a retry.
    case already(LogHead)
  }

  /// Takes the lock, cuts off a torn tail, and finds the log's end.
  ///
  /// - Parameters:
  ///   - logID: the id to give to a log that does not exist yet.
  ///   - knownHeads: heads that were acknowledged: the log must hold each of them.
  ///   - holder: names this writer in the error that others get.
  ///   - wait: how long to wait for another writer; nil fails at once.
  /// - Throws: `locked`, `damaged`, `lostEvents`, `io`.
  package init(
    directory: String, logID newLogID: LogID? = nil, knownHeads: [LogHead] = [], holder: String,
    wait: Duration? = nil, files: any FileCalls = RealFileCalls(), limits: LogLimits = .standard
  ) throws {
    let folder = LogFolder(path: directory, calls: files)
    self.folder = folder
    self.limits = limits
    compressor = try ZstdCompressor(level: ZstdCompressor.appendLevel)
    do {
      try files.makeDirectory(directory)
    } catch let failure as FileFailure {
      throw EventLogError(failure, doing: "make", file: directory)
    }
    lock = try WriterLock(folder, holder: holder, wait: wait)
    // A segment that was being made and has no name yet holds nothing that was acknowledged.
    for leftover in try folder.leftovers() {
      try folder.remove(folder.path(leftover))
    }

    guard let tail = try LogTail(folder, limits: limits) else {
      guard let newLogID else {
        throw EventLogError(.io, "there is no log in \(directory)", file: directory)
      }
      logID = newLogID
      head = .empty(newLogID)
      recovery = nil
      try Self.check(knownHeads, against: head, in: directory)
      return
    }
    logID = tail.logID
    head = tail.head
    try Self.check(knownHeads, against: tail.head, in: directory)
    for known in knownHeads where known.sequence < tail.head.sequence && known.sequence > 0 {
      try LogCursor(folder, limits: limits).seek(after: known)
    }
    if !tail.isSealed {
      let file = try LogFile(
        folder.path(LogFolder.name(tail.segment)), .readWrite, files)
      recovery = try tail.torn.map { try folder.cutOff($0, from: file) }
      active = ActiveSegment(
        file: file, firstSequence: tail.segment, offset: tail.offset, plainLength: tail.plainLength)
    } else {
      recovery = nil
    }
  }

  private static func check(
    _ known: [LogHead], against head: LogHead, in directory: String
  ) throws {
    for known in known where known.sequence >= head.sequence && known != head {
      throw EventLogError(
        .lostEvents,
        known.sequence > head.sequence
          ? "the log in \(directory) ends at event \(head.sequence), but event \(known.sequence) was "
            + "acknowledged: it lost events; restore it from a copy"
          : "the log in \(directory) has another chain hash at event \(known.sequence) than was "
            + "acknowledged; restore it from a copy",
        sequence: known.sequence)
    }
  }

  /// Begins a batch that follows `expected`.
  package func makeBatch(expecting expected: LogHead) throws -> LogBatchBuilder {
    LogBatchBuilder(after: expected, of: logID, limits: limits, compressor: compressor)
  }

  /// Appends a batch: all of it, durably, or nothing.
  ///
  /// - Throws: `headMoved` where the log has another head than the batch expects and does not hold
  ///   the same batch there already; `io` where nothing was written; `outcomeUnknown` where that
  ///   cannot be known: then this writer is unusable, and a new one that appends the same batch
  ///   gets `already` or `appended`.
  package func append(_ batch: consuming LogBatchBuilder) throws -> AppendOutcome {
    guard lock != nil, !isPoisoned else {
      throw EventLogError(
        .poisoned, "an earlier write to \(folder.path) failed; open the log anew")
    }
    let expected = batch.expected
    let (header, frames) = try batch.finish()
    let next = LogHead(sequence: header.lastSequence, chain: header.chain)
    guard expected == head else {
      if try holds(next, after: expected) { return .already(next) }
      throw EventLogError(
        .headMoved,
        "the log in \(folder.path) is at event \(head.sequence), not at \(expected.sequence) as was "
          + "expected: something else was appended; look again", sequence: head.sequence)
    }
    if let active, active.plainLength < limits.segment {
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
      // One write for a small batch: what is torn then is torn within one batch.
      try segment.file.write(header.encoded() + frames, at: segment.offset)
    } catch {
      do {
        try segment.file.truncate(to: segment.offset)
        try segment.file.syncData()
      } catch {
        isPoisoned = true
        throw error
      }
      throw error
    }
    do {
      try segment.file.syncData()
    } catch {
      // A second sync could succeed although the data is gone: nothing is known from here on.
      isPoisoned = true
      throw EventLogError(
        .outcomeUnknown,
        "\(error); whether events \(header.firstSequence) to \(header.lastSequence) are on disk "
          + "cannot be known: open the log anew and look", file: segment.file.path,
        offset: segment.offset, sequence: header.firstSequence)
    }
    active?.offset += header.storedLength
    active?.plainLength += header.plainLength
  }

  /// Begins a segment with a batch: under another name until all of it is on disk.
  private func begin(_ header: BatchHeader, _ frames: [UInt8]) throws {
    let name = LogFolder.name(header.firstSequence)
    let file = try folder.create(folder.newPath(name)) { file in
      try file.write(header.encoded() + frames, at: 0)
    }
    do {
      try folder.publish(folder.newPath(name), as: folder.path(name))
    } catch {
      // The name may be there already, or not, after a crash of the system.
      isPoisoned = true
      throw EventLogError(
        .outcomeUnknown, "\(error); open the log anew and look", file: folder.path(name),
        sequence: header.firstSequence)
    }
    let closed = active?.firstSequence
    active = ActiveSegment(
      file: file, firstSequence: header.firstSequence, offset: header.storedLength,
      plainLength: header.plainLength)
    if let closed {
      do {
        _ = try Sealer(folder, limits: limits).seal(closed)
      } catch {
        sealingFailure = error
      }
    }
  }

  /// Closes the segment that is open and seals every segment that is not.
  @discardableResult
  package func seal() throws -> [SealedSegment] {
    guard lock != nil, !isPoisoned else {
      throw EventLogError(.poisoned, "an earlier write to \(folder.path) failed; open the log anew")
    }
    active = nil
    sealingFailure = nil
    return try (folder.segments() ?? []).compactMap { try Sealer(folder, limits: limits).seal($0) }
  }

  /// Gives the lock back. Later calls fail.
  package func close() {
    active = nil
    lock = nil
  }
}
