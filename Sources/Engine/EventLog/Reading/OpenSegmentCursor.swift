/// The batches of an open segment.
final class OpenSegmentCursor: SegmentCursor {
  let segment: OpenSegment
  private let segmentFirst: UInt64
  private(set) var logID: LogID?
  private let splitter: LineSplitter
  private let decoder: FrameDecoder
  /// Whether every stored byte of a batch is checked before the batch is given out.
  var checksFrames: Bool

  /// Where the next batch begins.
  private(set) var offset: UInt64 = 0
  private(set) var plainLength: UInt64 = 0
  private(set) var batchCount = 0
  private var frames: ArraySlice<FrameEntry> = []
  private var frameOffset: UInt64 = 0
  private var sequence: UInt64 = 0
  /// Of the file, when it was last asked for.
  private var size: UInt64 = 0
  /// What ended the reading other than the end of the file.
  private(set) var torn: TornTail?

  init(_ segment: OpenSegment, logID: LogID?, checksFrames: Bool = true) throws {
    self.segment = segment
    segmentFirst = LogFolder.firstSequence(LogFolder.fileName(segment.file.path)) ?? 0
    self.logID = logID
    self.checksFrames = checksFrames
    splitter = LineSplitter(lineLimit: segment.limits.line)
    decoder = try FrameDecoder()
  }

  /// Counts the rest of the segment from there on.
  func move(to place: BatchPlace) {
    logID = place.logID
    (offset, plainLength, batchCount) = (place.offset, 0, 0)
  }

  /// Goes on at a place that is known.
  func move(to place: KnownPlaces.Place) {
    (offset, plainLength, batchCount) = (place.offset, place.plainLength, place.batchCount)
  }

  /// The place of the next batch.
  func place(due head: LogHead, of logID: LogID) -> KnownPlaces.Place {
    KnownPlaces.Place(
      segment: segmentFirst, logID: logID, offset: offset, plainLength: plainLength,
      batchCount: batchCount, head: head)
  }

  /// Reads what comes next by headers alone.
  func skip(
    toBefore sequence: UInt64, known: (LogID) -> KnownPlaces.Place?
  ) throws -> (logID: LogID, head: LogHead) {
    checksFrames = false
    let header = try segment.firstHeader(due: segmentFirst)
    logID = header.logID
    if let place = known(header.logID) {
      move(to: place)
      if let next = try? nextBatch(due: place.head) {
        move(to: place)
        return (header.logID, next.previousHead)
      }
      // A walk from the segment's beginning reports what is wrong.
      segment.forget()
      (offset, plainLength, batchCount) = (0, 0, 0)
    }
    return (header.logID, header.previousHead)
  }

  var path: String { segment.file.path }
  var isChainChecked: Bool { false }
  var isWithinLine: Bool { splitter.isWithinLine }

  func nextBatch(due head: LogHead) throws -> BatchInfo? {
    var sizeOfDamage: UInt64?
    var hasSeenTorn = false
    // A batch within what was seen of the file is there or not, whatever its size is now; anything
    // else is looked at anew. It saves a system call a batch.
    var isSizeFresh = offset >= size
    while true {
      if isSizeFresh { size = try segment.file.size() }
      do {
        if let info = try nextBatch(due: head, size: size) { return info }
        // What was read ahead may be of a tail that a writer has replaced since: torn is what is
        // found twice as well.
        if isSizeFresh, torn == nil || hasSeenTorn { return nil }
        hasSeenTorn = isSizeFresh
      } catch let error as EventLogError
        where error.isDamage && (!isSizeFresh || sizeOfDamage != size)
      {
        // A writer may have cut back an unfinished batch and written another while this one was
        // read: damage is what is found twice.
        if isSizeFresh { sizeOfDamage = size }
        segment.forget()
      }
      isSizeFresh = true
    }
  }

  private func nextBatch(due head: LogHead, size: UInt64) throws -> BatchInfo? {
    torn = nil
    let reading = try segment.read(
      at: offset, size: size, due: head, of: logID, checksFrames: checksFrames)
    switch reading {
    case .end:
      segment.forget()
      guard offset > 0 else {
        throw EventLogError.damaged(
          .incomplete, "the segment is empty", path, offset, head.sequence + 1)
      }
      return nil
    case .batch(let header):
      let info = header.info(segmentFirst: segmentFirst, offset: offset)
      logID = header.logID
      frames = header.frames[...]
      frameOffset = offset + UInt64(header.length)
      sequence = header.firstSequence
      offset += header.storedLength
      plainLength += header.plainLength
      batchCount += 1
      splitter.reset()
      return info
    case .flawed(let flaw, let extent):
      try end(
        size, due: head, extent: extent, or: flaw.error(path, offset, head.sequence + 1))
    }
    return nil
  }

  /// Ends before a torn tail, or throws.
  private func end(
    _ size: UInt64, due head: LogHead, extent: UInt64?, or error: EventLogError
  ) throws {
    segment.forget()
    // The first batch of a segment is on disk before the segment has its name.
    guard offset > 0, let logID,
      try segment.isTorn(at: offset, size: size, due: head, of: logID, extent: extent)
    else { throw error }
    torn = TornTail(
      file: path, offset: offset, length: size - offset, sequence: head.sequence + 1)
  }

  func nextText() throws -> UnsafeRawBufferPointer? {
    while true {
      if let text = try splitter.next(path: path, offset: frameOffset, sequence: sequence) {
        return text
      }
      guard let frame = frames.popFirst() else { return nil }
      let room = splitter.room(for: Int(frame.plainLength))
      try decoder.decode(
        frame, of: segment.file, at: frameOffset, sequence: sequence, into: room)
      frameOffset += UInt64(frame.storedLength)
      splitter.feed(0..<room.count)
    }
  }
}
