/// The end of a log, found from its last segment alone.
struct LogTail {
  let logID: LogID
  let head: LogHead
  /// First sequence of the last segment.
  let segment: UInt64
  let isSealed: Bool
  /// Where the next batch goes in an open segment.
  let offset: UInt64
  /// Plain bytes in an open segment.
  let plainLength: UInt64
  let batchCount: Int
  let torn: TornTail?

  /// Stored bytes that take longer to check than to ask a database for its checkpoint.
  private static let longBatch: UInt64 = 4 << 20

  /// Finds the end; nil where there is no segment.
  ///
  /// - Parameters:
  ///   - checksFrames: whether to check every stored byte of the last segment, as a writer must before it
  ///     goes on behind them; else headers, and the stored bytes of the last batch.
  ///   - checksLast: false for who does not ask where the log ends.
  ///   - applied: asked where the last batch is long: a head that is known to be whole, because somebody
  ///     has read all of it, needs no second look.
  /// - Throws: damage that stands in its way.
  init?(
    _ folder: LogFolder, limits: LogLimits, checksFrames: Bool, checksLast: Bool = true,
    applied: () throws -> LogHead? = { nil }
  ) throws {
    guard let last = try folder.segments()?.last else { return nil }
    segment = last
    let file = try folder.open(segment: last)
    if try SealHeader.begins(file) {
      let cursor = try SealedSegmentCursor(file, firstSequence: last, limits: limits)
      if checksFrames { try cursor.checkFrames() }
      logID = cursor.header.logID
      head = cursor.header.head
      isSealed = true
      offset = try file.size()
      plainLength = cursor.header.plainLength
      batchCount = cursor.header.batches.count
      torn = nil
      return
    }

    isSealed = false
    let segment = OpenSegment(file: file, limits: limits)
    let first = try segment.firstHeader(due: last)
    let cursor = try OpenSegmentCursor(
      segment, logID: first.logID, checksFrames: checksFrames)
    var head = LogHead(sequence: last - 1, chain: first.previousChain)
    var before = (place: cursor.place, head: head)
    while true {
      let here = (place: cursor.place, head: head)
      guard let info = try cursor.nextBatch(due: head) else { break }
      before = here
      head = info.head
    }
    var torn = cursor.torn
    let lastLength = cursor.place.offset - before.place.offset
    if !checksFrames, checksLast, try lastLength <= Self.longBatch || applied() != head {
      // The walk trusted stored bytes; the last batch may have been interrupted within them.
      cursor.checksFrames = true
      cursor.move(to: before.place)
      if try cursor.nextBatch(due: before.head) == nil {
        head = before.head
        torn = cursor.torn
      }
    }
    logID = first.logID
    self.head = head
    (offset, plainLength, batchCount) = cursor.place
    self.torn = torn
  }
}
