import Support

/// The batches of a sealed segment: several in a frame, or one over several frames.
final class SealedSegmentCursor: SegmentCursor {
  let header: SealHeader
  private let file: LogFile
  private let segmentFirst: UInt64
  private let splitter: LineSplitter
  private let decoder: FrameDecoder
  private let spent: FramesAhead.Spent?
  private let firstOfRest: Int
  private let chainLimit: Int
  private let checksFrames: Bool
  private var ahead: FramesAhead?
  private lazy var starts = header.frameStarts()

  @exclusivity(unchecked) private var nextBatch = 0
  /// Chain hashes of batches in the frame that is decoded.
  @exclusivity(unchecked) private var chains: [ChainHash] = []
  /// Which of them is the next batch's.
  @exclusivity(unchecked) private var nextChain = 0
  @exclusivity(unchecked) private var nextFrame = 0
  @exclusivity(unchecked) private var frameOffset: UInt64
  /// Where the first frame of the current batch is.
  @exclusivity(unchecked) private var batchOffset: UInt64
  /// What is left of the frame that is decoded.
  @exclusivity(unchecked) private var left = 0..<0
  /// Frames that the current batch still needs, where it has some of its own.
  @exclusivity(unchecked) private var ownFrames = 0
  @exclusivity(unchecked) private var sequence: UInt64

  /// - Parameters:
  ///   - firstSequence: nil takes the header at its word, for reading behind damage.
  ///   - spent: where another thread decodes frames, the buffers that it uses.
  ///   - checksFrames: whether every stored byte of a long batch is checked before the batch is given.
  init(
    _ file: LogFile, firstSequence: UInt64?, limits: LogLimits, spent: FramesAhead.Spent? = nil,
    checksFrames: Bool = true
  ) throws {
    self.file = file
    self.spent = spent
    self.checksFrames = checksFrames
    header = try SealHeader(file, firstSequence: firstSequence, limits: limits)
    // By its name: a segment that was renamed says another number.
    segmentFirst =
      LogFolder.firstSequence(LogFolder.fileName(file.path)) ?? header.firstSequence
    firstOfRest = Self.firstOfRest(header.frames)
    chainLimit = limits.chains
    splitter = LineSplitter(lineLimit: limits.line)
    decoder = try FrameDecoder()
    frameOffset = UInt64(header.length)
    batchOffset = frameOffset
    sequence = header.firstSequence
  }

  deinit {
    spent?.offer(splitter.buffer)
  }

  var path: String { file.path }
  var logID: LogID? { header.logID }
  /// Of batches that share a frame; a long batch is too long to be read twice.
  @exclusivity(unchecked) private(set) var isChainChecked = false
  var isWithinLine: Bool { splitter.isWithinLine }

  private func move(to boundary: SealHeader.FrameStart) -> LogHead {
    nextBatch = boundary.batch
    nextFrame = boundary.frame
    frameOffset = boundary.offset
    sequence = boundary.head.sequence + 1
    return boundary.head
  }

  func skip(
    toBefore target: UInt64, known: (LogID) -> VerifiedOffsets.Place?
  ) -> (logID: LogID, head: LogHead) {
    let boundary = starts.last { $0.isBoundary && $0.head.sequence < target }
    return (header.logID, move(to: boundary ?? starts[0]))
  }

  func move(to place: BatchPlace) {
    if let boundary = header.boundary(from: place.offset) { _ = move(to: boundary) }
  }

  func nextBatch(due head: LogHead) throws -> BatchInfo? {
    splitter.reset()
    skipOwnFrames()
    guard nextBatch < header.batches.count else {
      guard head.chain == header.chain, nextFrame == header.frames.count else {
        throw damaged(.chain, "the segment does not end with its chain hash")
      }
      return nil
    }
    let batch = header.batches[nextBatch]
    if left.isEmpty {
      let first = header.frames[nextFrame]
      batchOffset = frameOffset
      if batch.plainLength > UInt64(first.entry.plainLength) {
        isChainChecked = false
        return try longBatch(batch, due: head)
      }
      try decodeSharedFrame(due: head)
    }
    if nextChain == chains.count { recomputeChains(due: head) }
    guard nextChain < chains.count else {
      throw damaged(.seal, "a frame does not hold the batches that its table says")
    }
    let chain = chains[nextChain]
    nextChain += 1
    let range = left.lowerBound..<left.lowerBound + Int(batch.plainLength)
    left = range.upperBound..<left.upperBound
    splitter.feed(range)
    isChainChecked = true
    return info(batch, due: head, chain: chain)
  }

  func nextBatches(due head: LogHead, length: Int) throws -> BatchBlock? {
    guard ownFrames == 0, nextBatch < header.batches.count else { return nil }
    if left.isEmpty {
      let frame = header.frames[nextFrame].entry
      guard header.batches[nextBatch].plainLength <= UInt64(frame.plainLength) else { return nil }
      batchOffset = frameOffset
      try decodeSharedFrame(due: head)
    }
    if nextChain == chains.count { recomputeChains(due: head) }
    let start = left.lowerBound
    var place = start
    var head = head
    var batches: [BatchInfo] = []
    while nextChain < chains.count {
      let batch = header.batches[nextBatch]
      let end = place + Int(batch.plainLength)
      guard end - start <= length else { break }
      let lines = UnsafeRawBufferPointer(rebasing: splitter.frame[place..<end])
      guard lines.count <= splitter.lineLimit, lines.last == 0x0A,
        lines.lineFeedCount == batch.eventCount
      else { break }
      let chain = chains[nextChain]
      batches.append(info(batch, due: head, chain: chain))
      head = LogHead(sequence: head.sequence + batch.eventCount, chain: chain)
      nextChain += 1
      place = end
    }
    guard place > start else { return nil }
    splitter.reset()
    left = place..<left.upperBound
    return BatchBlock(
      batches: batches, bytes: UnsafeRawBufferPointer(rebasing: splitter.frame[start..<place]))
  }

  /// Decodes the next frame and has the chain hashes of its batches recomputed: nothing is given out of a frame
  /// whose last hash is not the one in the table.
  private func decodeSharedFrame(due head: LogHead) throws {
    let index = nextFrame
    let frame = header.frames[index]
    let start = frameOffset
    try decodeFrame()
    nextChain = 0
    if splitter.buffer.head == head {
      swap(&chains, &splitter.buffer.chains)
      return
    }
    var isRight = false
    defer {
      if !isRight {
        // Asked again, the frame is refused again.
        left = 0..<0
        nextFrame = index
        frameOffset = start
      }
    }
    let end = min(nextBatch + Int(frame.batchesEnded), header.batches.count)
    let extent = computeChains(of: header.batches[nextBatch..<end], due: head)
    guard extent.isWhole(frame) else {
      throw EventLogError.damaged(
        .seal, "a frame does not hold the batches that its table says", path, start,
        extent.head.sequence + 1)
    }
    guard extent.head.chain == frame.chain else {
      throw EventLogError.damaged(
        .chain, "the batches of a frame do not match its chain hash", path, start,
        extent.head.sequence)
    }
    isRight = true
  }

  /// Computes the hashes of further batches in a frame that was found right.
  private func recomputeChains(due head: LogHead) {
    nextChain = 0
    _ = computeChains(of: header.batches[nextBatch...].prefix(chainLimit), due: head)
  }

  private func computeChains(
    of batches: ArraySlice<SealHeader.Batch>, due head: LogHead
  ) -> FrameChains.Extent {
    FrameChains.compute(
      of: batches, in: UnsafeMutableRawBufferPointer(rebasing: splitter.frame[left]), after: head,
      into: &chains, limit: chainLimit)
  }

  /// Checks every stored byte of the data frames, and decodes nothing.
  func checkFrames() throws {
    if let offset = try firstDamaged(of: header.frames[...], at: UInt64(header.length)) {
      throw EventLogError.damaged(
        .frameCRC, "a data frame is damaged", path, offset, header.firstSequence)
    }
  }

  /// The offset of the first frame whose stored bytes have another CRC than the table says; nil if none has.
  private func firstDamaged(
    of frames: ArraySlice<SealHeader.Frame>, at offset: UInt64
  ) throws -> UInt64? {
    var offset = offset
    for frame in frames {
      let stored = try file.read(Int(frame.entry.storedLength), at: offset)
      guard stored.withUnsafeBytes(frame.entry.isOf) else { return offset }
      offset += UInt64(frame.entry.storedLength)
    }
    return nil
  }

  /// A batch with frames of its own: its chain hash is the one at the last of them.
  private func longBatch(_ batch: SealHeader.Batch, due head: LogHead) throws -> BatchInfo {
    var length: UInt64 = 0
    var count = 0
    while length < batch.plainLength, nextFrame + count < header.frames.count {
      let frame = header.frames[nextFrame + count]
      length += UInt64(frame.entry.plainLength)
      count += 1
      guard frame.batchesEnded == (length == batch.plainLength ? 1 : 0) else {
        throw damaged(.seal, "a frame of a long batch holds another batch too")
      }
    }
    guard length == batch.plainLength else {
      throw damaged(.seal, "a long batch does not end at the end of a frame")
    }
    ownFrames = count
    if checksFrames { try checkOwnFrames() }
    return info(batch, due: head, chain: header.frames[nextFrame + count - 1].chain)
  }

  private func checkOwnFrames() throws {
    let frames = header.frames[nextFrame..<nextFrame + ownFrames]
    do {
      guard try firstDamaged(of: frames, at: frameOffset) == nil else {
        // The place is the batch's: that is what cannot be read.
        throw damaged(.frameCRC, "a data frame is damaged")
      }
    } catch {
      // Asked again, the batch is refused again.
      ownFrames = 0
      throw error
    }
  }

  private func info(
    _ batch: SealHeader.Batch, due head: LogHead, chain: ChainHash
  ) -> BatchInfo {
    nextBatch += 1
    sequence = head.sequence + 1
    return BatchInfo(
      firstSequence: head.sequence + 1, eventCount: batch.eventCount,
      plainLength: batch.plainLength, storedLength: nil, previousChain: head.chain, chain: chain,
      segmentFirst: segmentFirst, offset: batchOffset)
  }

  func nextText() throws -> UnsafeRawBufferPointer? {
    while true {
      if let text = try splitter.next(path: path, offset: frameOffset, sequence: sequence) {
        return text
      }
      guard ownFrames > 0 else { return nil }
      try decodeFrame()
      ownFrames -= 1
      splitter.feed(left)
      left = 0..<0
    }
  }

  private func skipOwnFrames() {
    while ownFrames > 0 {
      frameOffset += UInt64(header.frames[nextFrame].entry.storedLength)
      nextFrame += 1
      ownFrames -= 1
    }
  }

  private func decodeFrame() throws {
    let frame = header.frames[nextFrame]
    // One frame alone is decoded here: there is nothing to do meanwhile.
    if ahead?.next != nextFrame {
      ahead = nextFrame + 1 < header.frames.count ? framesAhead() : nil
    }
    if let decoded = ahead?.take(for: splitter.buffer) {
      splitter.take(decoded)
    } else {
      ahead = nil
      splitter.buffer.head = nil
      let room = splitter.room(for: Int(frame.entry.plainLength))
      try decoder.decode(frame.entry, of: file, at: frameOffset, sequence: sequence, into: room)
    }
    frameOffset += UInt64(frame.entry.storedLength)
    nextFrame += 1
    left = 0..<Int(frame.entry.plainLength)
  }

  /// Another thread that decodes the next frames; nil if none is wanted, or the system gives none: it costs
  /// time and nothing else.
  private func framesAhead() -> FramesAhead? {
    guard let spent else { return nil }
    return try? FramesAhead(
      header, starts, from: nextFrame, of: file, chainLimit: chainLimit, into: spent)
  }

  /// Has the first frames decoded before anybody asks for them.
  func decodeAhead() {
    ahead = framesAhead()
  }

  /// Whether all frames were decoded but for a short rest: most segments are some frames of full length and one of
  /// a few batches.
  var isNearlyDecoded: Bool { nextFrame >= firstOfRest }

  /// Plain bytes that are no work to speak of.
  private static let shortRest = 1 << 20

  /// The first of the last frames that are together no longer than that.
  private static func firstOfRest(_ frames: [SealHeader.Frame]) -> Int {
    var length = 0
    let last = frames.lastIndex { frame in
      length += Int(frame.entry.plainLength)
      return length > shortRest
    }
    return last.map { $0 + 1 } ?? 0
  }

  private func damaged(_ damage: EventLogError.Damage, _ what: String) -> EventLogError {
    .damaged(damage, what, file.path, frameOffset, sequence)
  }
}
