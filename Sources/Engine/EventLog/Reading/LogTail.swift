/// The end of a log, found from its last segment alone.
struct LogTail {
  let logID: LogID
  let head: LogHead
  /// Where the next batch goes; nil if the last segment is sealed.
  let next: VerifiedOffsets.Place?
  let torn: TornTail?

  /// Stored bytes that take longer to check than to ask a database for its checkpoint.
  private static let longBatch: UInt64 = 4 << 20

  /// Finds the end; nil if there is no segment.
  ///
  /// - Parameters:
  ///   - checksFrames: whether to check every stored byte of the last segment, as a writer must before it
  ///     appends; else headers, and the stored bytes of the last batch.
  ///   - checksLast: false if only the log's id is needed.
  ///   - applied: called if the last batch is long. Gives a head that a reader has read completely: its batch is
  ///     not read again.
  /// - Throws: damage that stands in its way.
  init?(
    _ folder: LogFolder, limits: LogLimits, checksFrames: Bool, checksLast: Bool = true,
    applied: () throws -> LogHead? = { nil }
  ) throws {
    guard let last = try folder.segments()?.last else { return nil }
    let walk = LogCursor(folder, limits: limits, policy: checksFrames ? .strict : .headers)
    do {
      try self.init(walk, folder, last, checksFrames, checksLast, applied)
    } catch let error as EventLogError where error.isDamage && folder.places != nil {
      // A walk from the segment's beginning reports what is wrong.
      try self.init(
        LogFolder(path: folder.path, calls: folder.calls), limits: limits,
        checksFrames: checksFrames, checksLast: checksLast, applied: applied)
    }
  }

  private init(
    _ walk: LogCursor, _ folder: LogFolder, _ last: UInt64, _ checksFrames: Bool,
    _ checksLast: Bool, _ applied: () throws -> LogHead?
  ) throws {
    let (id, start) = try walk.enter(segment: last, before: .max, isChecked: checksFrames)
    logID = id
    guard let cursor = walk.openCursor else {
      if checksFrames { try (walk.segment as? SealedSegmentCursor)?.checkFrames() }
      (head, next, torn) = (start, nil, nil)
      return
    }
    cursor.checksFrames = checksFrames
    var end = cursor.place(due: start, of: id)
    var before = end
    while let batch = try cursor.nextBatch(due: end.head) {
      (before, end) = (end, cursor.place(due: batch.head, of: id))
    }
    var torn = cursor.torn
    if !checksFrames, checksLast,
      try end.offset - before.offset <= Self.longBatch || applied() != end.head
    {
      // The walk trusted stored bytes; the last batch may have been interrupted within them.
      cursor.checksFrames = true
      cursor.move(to: before)
      if try cursor.nextBatch(due: before.head) == nil { (end, torn) = (before, cursor.torn) }
    }
    if end.head != before.head { folder.places?.note(before, isChecked: checksFrames) }
    (head, next, self.torn) = (end.head, end, torn)
  }
}
