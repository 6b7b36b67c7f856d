/// Whether the segments of a log follow each other, as their headers tell, and, where it is asked for,
/// whether their stored bytes are what was written.
///
/// A writer looks before it goes on: a segment that is missing or is another's is damage, and the end
/// of the log alone does not show it. Stored bytes of the last segment are left to `LogTail`.
struct SegmentLinks {
  private let folder: LogFolder
  private let limits: LogLimits

  private let checksFrames: Bool

  /// - Parameter checksFrames: whether to read every stored byte of all segments but the last, and
  ///   compare its CRC. Nothing is decompressed.
  init(_ folder: LogFolder, limits: LogLimits, checksFrames: Bool) {
    self.folder = folder
    self.limits = limits
    self.checksFrames = checksFrames
  }

  func check() throws {
    var order = SegmentOrder(folder: folder, limits: limits)
    var before: UInt64?
    var head: LogHead?
    var logID: LogID?
    while let first = try order.segment(
      after: before, due: (head?.sequence ?? 0) + 1, of: logID)
    {
      let file = try folder.open(segment: first)
      let path = file.path
      let isLast = try order.isLast(first)
      let segment: Segment
      if try SealHeader.begins(file) {
        let cursor = try SealedSegmentCursor(file, firstSequence: first, limits: limits)
        if checksFrames, !isLast { try cursor.checkFrames() }
        segment = Segment(sealed: cursor.header)
      } else {
        segment = try Segment(
          open: file, first: first, isLast: isLast, limits: limits, checksFrames: checksFrames)
      }
      if let logID, segment.logID != logID {
        throw EventLogError.damaged(
          .logID, "the segment belongs to another log", path, 0, first)
      }
      guard segment.previous == (head ?? .empty(segment.logID)).chain else {
        throw EventLogError.damaged(
          .chain, "the segment does not follow the segment before it", path, 0, first)
      }
      logID = segment.logID
      head = segment.head
      before = first
      // The end of an open segment is left to `LogTail`.
      if isLast { return }
    }
  }

  private struct Segment {
    let logID: LogID
    let previous: ChainHash
    let head: LogHead

    init(sealed header: SealHeader) {
      logID = header.logID
      previous = header.previousChain
      head = header.head
    }

    /// An open segment that another one follows is whole; the end of the last one is found elsewhere.
    init(
      open file: LogFile, first: UInt64, isLast: Bool, limits: LogLimits, checksFrames: Bool
    ) throws {
      let segment = OpenSegment(file: file, limits: limits)
      let header = try segment.firstHeader(due: first)
      logID = header.logID
      previous = header.previousChain
      var head = LogHead(sequence: first - 1, chain: previous)
      if !isLast {
        let cursor = try OpenSegmentCursor(segment, logID: logID, checksFrames: checksFrames)
        while let batch = try cursor.nextBatch(due: head) { head = batch.head }
        if let torn = cursor.torn {
          throw EventLogError.damaged(
            .incomplete, "a batch is cut short, and another segment follows", file.path,
            torn.offset, torn.sequence)
        }
      }
      self.head = head
    }
  }
}
