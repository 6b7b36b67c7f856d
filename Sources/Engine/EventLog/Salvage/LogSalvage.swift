import Support

/// What of a log that may be damaged is provably good, and the way to read it. The log is left alone:
/// nothing is locked, written, or repaired.
///
/// Good is a batch whose header, frame table and stored bytes have their CRCs and whose lines have its
/// chain hash. Good batches are put together by their chain, wherever they stand: a batch belongs to
/// the beginning of the log where the chain leads to it from the log's id.
package struct LogSalvage: Sendable {
  /// A range of events, both ends included.
  package typealias Events = ClosedRange<UInt64>

  package let logID: LogID
  /// The head behind the last event of the unbroken beginning; the empty one where event 1 is lost.
  package let prefix: LogHead
  /// Good events behind the first gap, ascending.
  package let behind: [Events]
  /// Events of which the log tells, or that were acknowledged, and that no good batch holds; ascending.
  package let missing: [Events]
  /// The last event of which the log itself tells.
  package let lastKnown: UInt64
  /// How the log stands to the head that was acknowledged; nil if none was named.
  package let acknowledged: Acknowledged?
  /// Whether events may be missing behind the last one of which the log tells.
  package let isEndUnknown: Bool
  package let findings: [LogFinding]
  /// An interrupted write, which was never acknowledged.
  package let torn: TornTail?
  /// Torn tails that recoveries kept aside: names and bytes, in the order of the names.
  package let kept: [(name: String, bytes: UInt64)]

  private let folder: LogFolder
  private let limits: LogLimits
  /// In the order in which they are read: first those of the prefix.
  private let order: [BatchRun]
  /// Of events behind the prefix, in the order of their events.
  private let damagedBatches: [DamagedBatch]

  /// How a log stands to a head that was acknowledged.
  package enum Acknowledged: Hashable, Sendable {
    /// A good batch ends there.
    case held
    /// The batch that ends there is damaged or gone: its events are among those that are missing.
    case missing
    /// Good batches hold other events there, or end elsewhere: the log, or a part of it, was replaced.
    case replaced
  }

  /// Reads all of the log.
  ///
  /// - Parameter known: a head of this log that was acknowledged. The log alone cannot show that its last
  ///   batches are gone.
  /// - Throws: `io` if there is none, or nothing of it is good; `damaged` if a file has the name
  ///   of a segment that cannot be.
  init(
    _ folder: LogFolder, limits: LogLimits, known: LogHead? = nil,
    progress: (CheckProgress) -> Void
  ) throws {
    self.folder = folder
    self.limits = limits
    var survey = LogSurvey(folder, limits: limits)
    var isKnownHeld = false
    var known = known
    try survey.look()
    try survey.run(progress: progress) { batch in
      if batch.chain == known?.chain {
        isKnownHeld = batch.head == known
        // A chain hash is of one head alone: whoever named it was changed by hand.
        if !isKnownHeld { known = nil }
      }
    }
    findings = survey.findings
    torn = survey.torn
    guard let logID = survey.logID else {
      throw EventLogError(
        .io, "no part of the log in \(folder.path) can be read; restore it from a copy",
        file: folder.path)
    }
    self.logID = logID
    (order, prefix) = try Self.assemble(survey.runs, of: logID, folder, limits)
    isEndUnknown = survey.findings.contains { $0.firstSequence != nil && $0.lastSequence == nil }
    var behind: [Events] = []
    var missing: [Events] = []
    var end = prefix.sequence
    for run in order where run.after.sequence > end {
      let first = max(end, run.before.sequence) + 1
      if first > end + 1 { missing.append(end + 1...first - 1) }
      if let last = behind.last, last.upperBound + 1 == first {
        behind[behind.count - 1] = last.lowerBound...run.after.sequence
      } else {
        behind.append(first...run.after.sequence)
      }
      end = run.after.sequence
    }
    lastKnown = max(end, survey.lastKnown)
    let last = max(lastKnown, known?.sequence ?? 0)
    if last > end { missing.append(end + 1...last) }
    self.behind = behind
    self.missing = missing
    if let known {
      let isMissing = missing.contains { $0.contains(known.sequence) }
      acknowledged =
        isKnownHeld || known == .empty(logID) ? .held : isMissing ? .missing : .replaced
    } else {
      acknowledged = nil
    }
    let beginning = prefix.sequence
    damagedBatches = try survey.findings
      .compactMap { try DamagedBatch($0, of: logID, folder, limits) }
      .filter { $0.firstSequence > beginning }
      .sorted { ($0.firstSequence, $0.file) < ($1.firstSequence, $1.file) }
    kept = try (folder.names() ?? []).filter { $0.contains(LogFolder.suffix + ".torn-") }.sorted()
      .map { ($0, try LogFile(folder.path($0), .read, folder.calls).size()) }
  }

  /// Puts runs together: as far as the chain leads from the log's beginning, and then the others in the
  /// order of their events.
  private static func assemble(
    _ runs: [BatchRun], of logID: LogID, _ folder: LogFolder, _ limits: LogLimits
  ) throws -> ([BatchRun], LogHead) {
    var order: [BatchRun] = []
    var head = LogHead.empty(logID)
    let starts = Dictionary(runs.map { ($0.before, $0) }) { first, _ in first }
    while let run = try starts[head] ?? runs.first(where: { try $0.goes(on: head, folder, limits) })
    {
      order.append(run)
      head = run.after
    }
    let rest = runs.filter { $0.after.sequence > head.sequence }
      .sorted { ($0.before.sequence, $0.place.segment) < ($1.before.sequence, $1.place.segment) }
    return (order + rest, head)
  }

  // MARK: Reading

  /// A good batch.
  package struct Batch {
    package let info: BatchInfo
    fileprivate let cursor: LogCursor

    /// Whole lines of the batch, in order; nil when all were given and its chain hash is right.
    package func nextLines() throws -> LineBlock? { try cursor.nextLines() }
  }

  /// Hands over good batches in the order of their events, each event once.
  ///
  /// - Parameters:
  ///   - isPastGaps: whether to go on behind the unbroken beginning.
  ///   - damaged: takes damaged batches that have whole data frames, where their events are due.
  /// - Throws: what `body` and `damaged` throw; damage where the log was changed meanwhile.
  package func forEachBatch(
    pastGaps isPastGaps: Bool, damaged: (DamagedBatch) throws -> Void = { _ in },
    _ body: (Batch) throws -> Void
  ) throws {
    var head = LogHead.empty(logID)
    var pieces = damagedBatches[...]
    func handOver(before next: UInt64) throws {
      while let piece = pieces.first, piece.firstSequence < next {
        pieces.removeFirst()
        // What a good batch holds, or another damaged copy, was or will be given.
        guard piece.firstSequence > head.sequence, piece.lastSequence < next else { continue }
        try damaged(piece)
        head.sequence = piece.lastSequence
      }
    }
    for run in order where run.after.sequence > head.sequence {
      guard isPastGaps || head.sequence < prefix.sequence else { return }
      let cursor = LogCursor(folder, limits: limits)
      try cursor.move(to: run.place)
      while cursor.position.map({ $0.sequence < run.after.sequence }) ?? false,
        let info = try cursor.nextBatch()
      {
        // Given already: the run begins before the end of another.
        guard info.firstSequence > head.sequence else { continue }
        if isPastGaps { try handOver(before: info.firstSequence) }
        try body(Batch(info: info, cursor: cursor))
        head = info.head
      }
      guard cursor.position == run.after else { throw changed }
    }
    if isPastGaps { try handOver(before: .max) }
  }

  private var changed: EventLogError {
    EventLogError(
      .io, "the log in \(folder.path) was changed while it was read; try again", file: folder.path)
  }

  /// Writes the unbroken beginning to a new log: the same id, batches, sequences and chain hashes, so
  /// that checkpoints, receipts and snapshots of it still fit.
  ///
  /// - Parameters:
  ///   - directory: of the new log; there must be none in it.
  ///   - progress: called with the events written so far.
  package func writePrefix(to directory: String, progress: (UInt64) -> Void = { _ in }) throws {
    let writer = try EventLogWriter(
      directory: directory, logID: logID, holder: "salvage", limits: limits)
    defer { writer.close() }
    try forEachBatch(pastGaps: false) { batch in
      var builder = try writer.makeBatch(expecting: writer.head)
      while let block = try batch.nextLines() { try builder.append(lines: block.bytes) }
      let outcome = try writer.append(builder)
      guard outcome == .appended(batch.info.head) else { throw changed }
      progress(batch.info.lastSequence)
    }
    if let failure = writer.sealingFailure { throw failure }
    guard writer.head == prefix else { throw changed }
  }
}

extension BatchRun {
  /// Whether a batch within this run is the next one behind a head.
  fileprivate func goes(
    on head: LogHead, _ folder: LogFolder, _ limits: LogLimits
  ) throws -> Bool {
    guard before.sequence < head.sequence, head.sequence < after.sequence else { return false }
    let cursor = LogCursor(folder, limits: limits)
    try cursor.move(to: place)
    while let position = cursor.position, position.sequence < head.sequence {
      guard try cursor.nextBatch() != nil else { return false }
    }
    return cursor.position == head
  }
}
