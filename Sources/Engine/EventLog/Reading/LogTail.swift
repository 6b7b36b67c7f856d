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

  /// Finds the end; nil if there is no segment.
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
    let start = KnownPlaces.Place(
      segment: last, logID: first.logID, offset: 0, plainLength: 0, batchCount: 0,
      head: LogHead(sequence: last - 1, chain: first.previousChain))
    let walk =
      try folder.places?.last(in: last, of: first.logID, isChecked: checksFrames)
      .flatMap { Walk(fromKnown: $0, segment, checksFrames: checksFrames) }
      ?? Walk(from: start, segment, checksFrames: checksFrames)
    let cursor = walk.cursor
    var head = walk.head
    var torn = cursor.torn
    let lastLength = cursor.offset - walk.last.offset
    if !checksFrames, checksLast, try lastLength <= Self.longBatch || applied() != head {
      // The walk trusted stored bytes; the last batch may have been interrupted within them.
      cursor.checksFrames = true
      cursor.move(to: walk.last)
      if try cursor.nextBatch(due: walk.last.head) == nil {
        head = walk.last.head
        torn = cursor.torn
      }
    }
    if head != walk.last.head { folder.places?.note(walk.last, isChecked: checksFrames) }
    logID = first.logID
    self.head = head
    (offset, plainLength, batchCount) = (cursor.offset, cursor.plainLength, cursor.batchCount)
    self.torn = torn
  }

  /// A walk over the batches of an open segment to its end.
  private struct Walk {
    let cursor: OpenSegmentCursor
    /// Where the last batch begins.
    var last: KnownPlaces.Place
    /// After the last batch.
    var head: LogHead

    init(
      from start: KnownPlaces.Place, _ segment: OpenSegment, checksFrames: Bool
    ) throws {
      cursor = try OpenSegmentCursor(segment, logID: start.logID, checksFrames: checksFrames)
      cursor.move(to: start)
      last = start
      head = start.head
      while true {
        let here = KnownPlaces.Place(
          segment: start.segment, logID: start.logID, offset: cursor.offset,
          plainLength: cursor.plainLength, batchCount: cursor.batchCount, head: head)
        guard let info = try cursor.nextBatch(due: head) else { break }
        last = here
        head = info.head
      }
    }

    /// The walk from a place that is known; nil if the log does not go on there as it did.
    init?(fromKnown start: KnownPlaces.Place, _ segment: OpenSegment, checksFrames: Bool) {
      // The walk from the segment's beginning reports what is wrong.
      guard let walk = try? Walk(from: start, segment, checksFrames: checksFrames),
        walk.head != start.head
      else {
        segment.forget()
        return nil
      }
      self = walk
    }
  }
}
