/// Reads the batches of one segment in order.
protocol SegmentCursor: AnyObject {
  var path: String { get }
  var logID: LogID? { get }

  /// The next batch; nil at the end of what is there.
  ///
  /// - Parameter head: of the log before it.
  func nextBatch(due head: LogHead) throws -> BatchInfo?

  /// Whole lines of the batch; nil when all were given.
  func nextText() throws -> UnsafeRawBufferPointer?

  /// Whether the text ended within a line.
  var isWithinLine: Bool { get }
}

/// The batches of an open segment.
final class OpenSegmentCursor: SegmentCursor {
  let segment: OpenSegment
  private(set) var logID: LogID?
  private let splitter: LineSplitter
  private let decoder: FrameDecoder
  /// Whether every stored byte of a batch is checked before the batch is given out.
  private let checksFrames: Bool

  /// Where the next batch begins.
  private(set) var offset: UInt64 = 0
  private(set) var plainLength: UInt64 = 0
  private var frames: ArraySlice<FrameEntry> = []
  private var frameOffset: UInt64 = 0
  private var sequence: UInt64 = 0
  /// What ended the reading other than the end of the file.
  private(set) var torn: TornTail?

  init(_ segment: OpenSegment, logID: LogID?, checksFrames: Bool = true) throws {
    self.segment = segment
    self.logID = logID
    self.checksFrames = checksFrames
    splitter = LineSplitter(lineLimit: segment.limits.line)
    decoder = try FrameDecoder()
  }

  /// Goes on at a place where a batch begins.
  func move(to offset: UInt64, plainLength: UInt64) {
    self.offset = offset
    self.plainLength = plainLength
  }

  var path: String { segment.file.path }
  var isWithinLine: Bool { splitter.isWithinLine }

  func nextBatch(due head: LogHead) throws -> BatchInfo? {
    torn = nil
    let size = try segment.file.size()
    let reading = try segment.read(
      at: offset, size: size, due: head, of: logID, checksFrames: checksFrames)
    switch reading {
    case .end:
      return nil
    case .batch(let header):
      let info = BatchInfo(
        firstSequence: header.firstSequence, eventCount: header.eventCount,
        plainLength: header.plainLength, storedLength: header.storedLength,
        previousChain: header.previousChain, chain: header.chain,
        segment: LogFolder.fileName(path), offset: offset)
      logID = header.logID
      frames = header.frames[...]
      frameOffset = offset + UInt64(header.length)
      sequence = header.firstSequence
      offset += header.storedLength
      plainLength += header.plainLength
      splitter.reset()
      return info
    case .cutShort:
      try end(
        size, due: head, extent: nil,
        or: .damaged(
          .incomplete, "the file ends within a batch", path, offset, head.sequence + 1))
    case .flawed(let damage, let what, let extent):
      try end(
        size, due: head, extent: extent,
        or: .damaged(damage, what, path, offset, head.sequence + 1))
    }
    return nil
  }

  /// Ends before a torn tail, or throws.
  private func end(
    _ size: UInt64, due head: LogHead, extent: UInt64?, or error: EventLogError
  ) throws {
    // The first batch of a segment is on disk before the segment has its name.
    guard offset > 0, let logID,
      try segment.isTorn(at: offset, due: head, of: logID, extent: extent)
    else { throw error }
    torn = TornTail(
      file: path, offset: offset, length: size - offset, sequence: head.sequence + 1)
  }

  func nextText() throws -> UnsafeRawBufferPointer? {
    while true {
      if let text = try splitter.next() { return text }
      guard let frame = frames.popFirst() else { return nil }
      let room = splitter.room(for: Int(frame.plainLength))
      try decoder.decode(
        frame, of: segment.file, at: frameOffset, sequence: sequence, into: room)
      frameOffset += UInt64(frame.storedLength)
      splitter.feed(0..<room.count)
    }
  }
}

/// The batches of a sealed segment: several in a frame, or one over several frames.
final class SealedSegmentCursor: SegmentCursor {
  let header: SealHeader
  private let file: LogFile
  private let splitter: LineSplitter
  private let decoder: FrameDecoder

  private var nextBatch = 0
  private var nextFrame = 0
  private var frameOffset: UInt64
  /// What is left of the frame that is decoded.
  private var left = 0..<0
  /// Frames that the current batch still needs, where it has some of its own.
  private var ownFrames = 0
  private var sequence: UInt64

  init(_ file: LogFile, firstSequence: UInt64, limits: LogLimits) throws {
    self.file = file
    header = try SealHeader(file, firstSequence: firstSequence, limits: limits)
    splitter = LineSplitter(lineLimit: limits.line)
    decoder = try FrameDecoder()
    frameOffset = UInt64(header.length)
    sequence = firstSequence
  }

  var path: String { file.path }
  var logID: LogID? { header.logID }
  var isWithinLine: Bool { splitter.isWithinLine }

  /// Moves to the last frame at whose beginning a batch begins that is not behind `target`; returns
  /// the head there.
  func skip(toBefore target: UInt64) -> LogHead {
    var head = LogHead(sequence: header.firstSequence - 1, chain: header.previousChain)
    var batch = 0
    var last = head.sequence
    var plain: UInt64 = 0
    var framesPlain: UInt64 = 0
    var offset = frameOffset
    for (index, frame) in header.frames.enumerated() {
      for _ in 0..<frame.batchesEnded {
        last += header.batches[batch].eventCount
        plain += header.batches[batch].plainLength
        batch += 1
      }
      framesPlain += UInt64(frame.entry.plainLength)
      offset += UInt64(frame.entry.storedLength)
      guard last < target else { break }
      if plain == framesPlain {
        head = LogHead(sequence: last, chain: frame.chain)
        nextBatch = batch
        nextFrame = index + 1
        frameOffset = offset
      }
    }
    sequence = head.sequence + 1
    return head
  }

  func nextBatch(due head: LogHead) throws -> BatchInfo? {
    splitter.reset()
    try skipOwnFrames()
    guard nextBatch < header.batches.count else {
      try checkFrameEnd(head)
      guard head.chain == header.chain, nextFrame == header.frames.count else {
        throw damaged(.chain, "the segment does not end with its chain hash")
      }
      return nil
    }
    let batch = header.batches[nextBatch]
    if left.isEmpty {
      try checkFrameEnd(head)
      let first = header.frames[nextFrame]
      if batch.plainLength > UInt64(first.entry.plainLength) {
        return try longBatch(batch, due: head)
      }
      try decodeFrame()
    }
    guard batch.plainLength <= UInt64(left.count) else {
      throw damaged(.seal, "a batch runs over the end of a frame that it shares")
    }
    let range = left.lowerBound..<left.lowerBound + Int(batch.plainLength)
    left = range.upperBound..<left.upperBound
    var hasher = ChainHasher(previous: head.chain, firstSequence: head.sequence + 1)
    hasher.add(UnsafeRawBufferPointer(rebasing: splitter.frame[range]))
    splitter.feed(range)
    return info(batch, due: head, chain: hasher.finish(eventCount: batch.eventCount))
  }

  /// A batch with frames of its own: its chain hash is the one at the last of them.
  private func longBatch(_ batch: SealHeader.Batch, due head: LogHead) throws -> BatchInfo {
    var length: UInt64 = 0
    var count = 0
    var offset = frameOffset
    while length < batch.plainLength, nextFrame + count < header.frames.count {
      let frame = header.frames[nextFrame + count]
      let stored = try file.read(Int(frame.entry.storedLength), at: offset)
      guard stored.withUnsafeBytes({ CRC32.of($0) }) == frame.entry.crc else {
        throw damaged(.frameCRC, "a data frame is not what was written")
      }
      length += UInt64(frame.entry.plainLength)
      offset += UInt64(frame.entry.storedLength)
      count += 1
      guard frame.batchesEnded == (length == batch.plainLength ? 1 : 0) else {
        throw damaged(.seal, "a frame of a long batch holds another batch too")
      }
    }
    guard length == batch.plainLength else {
      throw damaged(.seal, "a long batch does not end at the end of a frame")
    }
    ownFrames = count
    return info(batch, due: head, chain: header.frames[nextFrame + count - 1].chain)
  }

  private func info(
    _ batch: SealHeader.Batch, due head: LogHead, chain: ChainHash
  ) -> BatchInfo {
    nextBatch += 1
    sequence = head.sequence + 1
    return BatchInfo(
      firstSequence: head.sequence + 1, eventCount: batch.eventCount,
      plainLength: batch.plainLength, storedLength: nil, previousChain: head.chain, chain: chain,
      segment: LogFolder.fileName(path), offset: frameOffset)
  }

  func nextText() throws -> UnsafeRawBufferPointer? {
    while true {
      if let text = try splitter.next() { return text }
      guard ownFrames > 0 else { return nil }
      ownFrames -= 1
      try decodeFrame()
      splitter.feed(left)
      left = 0..<0
    }
  }

  private func skipOwnFrames() throws {
    guard ownFrames > 0 else { return }
    while ownFrames > 0 {
      frameOffset += UInt64(header.frames[nextFrame].entry.storedLength)
      nextFrame += 1
      ownFrames -= 1
    }
  }

  private func decodeFrame() throws {
    let frame = header.frames[nextFrame]
    let room = splitter.room(for: Int(frame.entry.plainLength))
    try decoder.decode(frame.entry, of: file, at: frameOffset, sequence: sequence, into: room)
    frameOffset += UInt64(frame.entry.storedLength)
    nextFrame += 1
    left = 0..<room.count
  }

  /// At the end of a frame the recomputed chain hash is the one in the table.
  private func checkFrameEnd(_ head: LogHead) throws {
    guard nextFrame > 0, left.isEmpty else { return }
    let frame = header.frames[nextFrame - 1]
    // After a skip no batch of that frame was read: its chain hash is where the head came from.
    guard frame.chain == head.chain else {
      throw damaged(.chain, "the batches of a frame are not those of its chain hash")
    }
  }

  private func damaged(_ damage: EventLogError.Damage, _ what: String) -> EventLogError {
    .damaged(damage, what, file.path, frameOffset, sequence)
  }
}
