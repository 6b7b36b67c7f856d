import Support

/// Reads a log without any lock and repairs nothing. Any number of readers may run beside a writer.
package struct EventLogReader: Sendable {
  let folder: LogFolder
  let limits: LogLimits

  /// - Parameter places: what readers and writers of one log in this program share, if it stays open.
  package init(
    directory: String, files: any FileCalls = RealFileCalls(), limits: LogLimits = .standard,
    places: VerifiedOffsets? = nil
  ) {
    folder = LogFolder(path: directory, calls: files, places: places)
    self.limits = limits
  }

  /// The log's identity; nil if there is no log yet.
  package func logID() throws -> LogID? {
    try LogTail(folder, limits: limits, checksFrames: false, checksLast: false)?.logID
  }

  /// Whether there is a log, damaged or not.
  package func exists() throws -> Bool {
    try folder.segments()?.isEmpty == false
  }

  /// Which log it is, and where it ends; nil if there is no log yet. Reads headers of the last segment,
  /// and the last batch.
  ///
  /// - Parameter applied: asked where that batch is long: a head that a database has applied, whose batch is
  ///   not read again.
  package func end(
    applied: () throws -> LogHead? = { nil }
  ) throws -> (logID: LogID, head: LogHead)? {
    try LogTail(folder, limits: limits, checksFrames: false, applied: applied)
      .map { ($0.logID, $0.head) }
  }

  /// The interrupted write before which readers end; nil if the log ends with a whole batch.
  package func tornTail() throws -> TornTail? {
    try tail()?.torn
  }

  /// Reads from behind a batch on; nil begins with event 1.
  ///
  /// - Parameters:
  ///   - decodesAhead: whether frames are decoded on another thread, for who reads all there is: two further frames
  ///     are in memory then, and at the end of a segment two of the next one.
  /// - Throws: `lostEvents` if the log has no batch that ends at that head.
  package func cursor(
    after head: LogHead? = nil, decodesAhead: Bool = false
  ) throws -> LogCursor {
    let cursor = LogCursor(folder, limits: limits, decodesAhead: decodesAhead)
    if let head { try cursor.seek(after: head) }
    return cursor
  }

  /// The batch that holds an event. Stored bytes of a long batch are not checked.
  package func batch(containing sequence: UInt64) throws -> BatchInfo {
    let cursor = LogCursor(folder, limits: limits, policy: .headers)
    try cursor.seek(toSegmentWith: sequence)
    while let batch = try cursor.nextBatch() {
      if batch.lastSequence >= sequence, batch.firstSequence <= sequence { return batch }
    }
    throw EventLogError.noEvent(sequence)
  }

  func tail() throws -> LogTail? {
    try LogTail(folder, limits: limits, checksFrames: false)
  }

  /// Reads everything and checks everything; the log is left alone.
  package func check(progress: (CheckProgress) -> Void = { _ in }) throws -> CheckReport {
    try CheckReport(of: folder, limits: limits, progress: progress)
  }
}
