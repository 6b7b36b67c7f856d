/// The batches of an open segment.
final class OpenSegmentCursor: SegmentCursor {
  let file: LogFile
  private let limits: LogLimits
  private let segmentFirst: UInt64
  private(set) var logID: LogID?
  private let ahead: ReadAhead
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

  init(
    _ file: LogFile, limits: LogLimits, logID: LogID? = nil, checksFrames: Bool = true
  ) throws {
    self.file = file
    self.limits = limits
    segmentFirst = LogFolder.firstSequence(LogFolder.fileName(file.path)) ?? 0
    self.logID = logID
    self.checksFrames = checksFrames
    ahead = ReadAhead(file)
    splitter = LineSplitter(lineLimit: limits.line)
    decoder = try FrameDecoder()
  }

  /// Counts the rest of the segment from there on.
  func move(to place: BatchPlace) {
    logID = place.logID
    (offset, plainLength, batchCount) = (place.offset, 0, 0)
  }

  /// Goes on at a place that is known.
  func move(to place: VerifiedOffsets.Place) {
    (offset, plainLength, batchCount) = (place.offset, place.plainLength, place.batchCount)
  }

  /// The place of the next batch.
  func place(due head: LogHead, of logID: LogID) -> VerifiedOffsets.Place {
    VerifiedOffsets.Place(
      segment: segmentFirst, logID: logID, offset: offset, plainLength: plainLength,
      batchCount: batchCount, head: head)
  }

  /// The fixed part of the segment's first header.
  ///
  /// - Throws: damage, also if the segment begins with another event than its name says.
  func firstHeader() throws -> BatchHeader {
    let fixed = try file.read(BatchHeader.fixedLength, at: 0)
    guard !fixed.isEmpty else {
      throw EventLogError.damaged(.incomplete, "the segment is empty", path, 0, segmentFirst)
    }
    let header: BatchHeader
    do throws(BatchHeader.Flaw) {
      header = try BatchHeader(fixed: fixed, limits: limits)
    } catch {
      throw error.error(path, 0, segmentFirst)
    }
    guard header.firstSequence == segmentFirst else {
      throw EventLogError.misnamed(path, first: header.firstSequence)
    }
    return header
  }

  /// Reads what comes next by headers alone.
  func skip(
    toBefore sequence: UInt64, known: (LogID) -> VerifiedOffsets.Place?
  ) throws -> (logID: LogID, head: LogHead) {
    checksFrames = false
    let header = try firstHeader()
    logID = header.logID
    if let place = known(header.logID) {
      move(to: place)
      if let next = try? nextBatch(due: place.head) {
        move(to: place)
        return (header.logID, next.previousHead)
      }
      // A walk from the segment's beginning reports what is wrong.
      ahead.forget()
      (offset, plainLength, batchCount) = (0, 0, 0)
    }
    return (header.logID, header.previousHead)
  }

  var path: String { file.path }
  var isChainChecked: Bool { false }
  var isWithinLine: Bool { splitter.isWithinLine }

  func nextBatch(due head: LogHead) throws -> BatchInfo? {
    var sizeOfDamage: UInt64?
    var hasSeenTorn = false
    // A batch within what was seen of the file is there or not, whatever its size is now; anything
    // else is looked at anew. It saves a system call a batch.
    var isSizeFresh = offset >= size
    while true {
      if isSizeFresh { size = try file.size() }
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
        ahead.forget()
      }
      isSizeFresh = true
    }
  }

  private func nextBatch(due head: LogHead, size: UInt64) throws -> BatchInfo? {
    torn = nil
    guard offset < size else {
      // A writer may cut back an unfinished batch and write another.
      ahead.forget()
      guard offset > 0 else {
        throw EventLogError.damaged(
          .incomplete, "the segment is empty", path, offset, head.sequence + 1)
      }
      return nil
    }
    let header: BatchHeader
    do {
      header = try readBatch(due: head, size: size)
    } catch let flawed as FlawedBatch {
      try end(before: flawed, due: head, size: size)
      return nil
    }
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
  }

  /// A batch that is not what was written.
  private struct FlawedBatch: Error {
    let flaw: BatchHeader.Flaw
    /// The end of the batch, as far as is known; nil if the file ends within it.
    let extent: UInt64?
  }

  /// Reads the header of the next batch and, if asked to, every stored byte of the batch.
  ///
  /// - Throws: `FlawedBatch`; damage that no interrupted write can leave: a header that is intact and says something else
  ///   than what is due here.
  private func readBatch(due head: LogHead, size: UInt64) throws -> BatchHeader {
    let cutShort = FlawedBatch(
      flaw: BatchHeader.Flaw(.incomplete, "the file ends within a batch"), extent: nil)
    let fixed = try ahead.read(BatchHeader.fixedLength, at: offset)
    guard fixed.count == BatchHeader.fixedLength else { throw cutShort }
    var header: BatchHeader
    do throws(BatchHeader.Flaw) {
      header = try BatchHeader(fixed: fixed, limits: limits)
      // The first batch of a log is due after the hash of its own log id.
      let previous = head.sequence == 0 ? LogHead.empty(header.logID).chain : head.chain
      try header.check(due: head.sequence + 1, after: previous, of: logID)
    } catch {
      guard error.damage == .headerCRC else {
        throw error.error(path, offset, head.sequence + 1)
      }
      throw FlawedBatch(flaw: error, extent: size)
    }

    let tableLength = BatchHeader.entryLength * header.frames.count
    let table = try ahead.read(tableLength, at: offset + UInt64(BatchHeader.fixedLength))
    guard table.count == tableLength else { throw cutShort }
    do throws(BatchHeader.Flaw) {
      try header.readTable(table, fixed: fixed, limits: limits)
    } catch {
      guard error.damage == .frameTableCRC else {
        throw error.error(path, offset, header.firstSequence)
      }
      throw FlawedBatch(flaw: error, extent: size)
    }
    let end = offset + header.storedLength
    guard end <= size else { throw cutShort }
    guard checksFrames else { return header }
    var place = offset + UInt64(header.length)
    for (index, frame) in header.frames.enumerated() {
      let length = Int(frame.storedLength)
      let stored =
        length <= ReadAhead.length
        ? try ahead.read(length, at: place) : try file.read(length, at: place)
      guard stored.withUnsafeBytes(frame.isOf) else {
        throw FlawedBatch(flaw: .damagedFrame(index), extent: end)
      }
      place += UInt64(length)
    }
    return header
  }

  /// Ends before a torn tail, or throws.
  private func end(before flawed: FlawedBatch, due head: LogHead, size: UInt64) throws {
    ahead.forget()
    // The first batch of a segment is on disk before the segment has its name.
    guard offset > 0, let logID,
      try file.isTorn(at: offset, size: size, due: head, of: logID, extent: flawed.extent)
    else { throw flawed.flaw.error(path, offset, head.sequence + 1) }
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
        frame, of: file, at: frameOffset, sequence: sequence, into: room)
      frameOffset += UInt64(frame.storedLength)
      splitter.feed(0..<room.count)
    }
  }
}
