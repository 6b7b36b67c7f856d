import Threads

/// The batches of a sealed segment: several in a frame, or one over several frames.
final class SealedSegmentCursor: SegmentCursor {
  let header: SealHeader
  private let file: LogFile
  private let segmentFirst: UInt64
  private let splitter: LineSplitter
  private let decoder: FrameDecoder
  private let spent: FramesAhead.Spent?
  private var ahead: FramesAhead?
  @exclusivity(unchecked) private var hasher = ShortBatchHasher()

  @exclusivity(unchecked) private var nextBatch = 0
  /// Chain hashes of batches in the frame that is decoded.
  @exclusivity(unchecked) private var chains: [ChainHash] = []
  /// Which of them is the next batch's.
  @exclusivity(unchecked) private var nextChain = 0
  /// How many of them are kept at once. A frame can hold a million batches of a few bytes, whose
  /// hashes would take 32 MiB: they are computed again, part by part.
  private static let chainsAtOnce = 1 << 17
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
  init(
    _ file: LogFile, firstSequence: UInt64?, limits: LogLimits, spent: FramesAhead.Spent? = nil
  ) throws {
    self.file = file
    self.spent = spent
    header = try SealHeader(file, firstSequence: firstSequence, limits: limits)
    // By its name: a segment that was renamed says another number.
    segmentFirst =
      LogFolder.firstSequence(LogFolder.fileName(file.path)) ?? header.firstSequence
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

  /// A place where a batch begins at the beginning of a frame; the last one is the segment's end.
  private struct Boundary {
    var frame: Int
    var batch: Int
    var offset: UInt64
    /// Of the log before that batch.
    var head: LogHead
  }

  /// Hands over the boundaries in order while `body` returns true.
  private func forEachBoundary(_ body: (Boundary) -> Bool) {
    var head = LogHead(sequence: header.firstSequence - 1, chain: header.previousChain)
    var batch = 0
    var plain: UInt64 = 0
    var framesPlain: UInt64 = 0
    var offset = UInt64(header.length)
    guard body(Boundary(frame: 0, batch: 0, offset: offset, head: head)) else { return }
    for (index, frame) in header.frames.enumerated() {
      for _ in 0..<frame.batchesEnded {
        head.sequence += header.batches[batch].eventCount
        plain += header.batches[batch].plainLength
        batch += 1
      }
      framesPlain += UInt64(frame.entry.plainLength)
      offset += UInt64(frame.entry.storedLength)
      guard plain == framesPlain else { continue }
      head.chain = frame.chain
      let place = Boundary(frame: index + 1, batch: batch, offset: offset, head: head)
      guard body(place) else { return }
    }
  }

  private func move(to boundary: Boundary) -> LogHead {
    nextBatch = boundary.batch
    nextFrame = boundary.frame
    frameOffset = boundary.offset
    sequence = boundary.head.sequence + 1
    return boundary.head
  }

  /// Moves to the last boundary that is not behind the batch with an event; returns the head there.
  func skip(toBefore target: UInt64) -> LogHead {
    var found: Boundary?
    forEachBoundary { boundary in
      guard found == nil || boundary.head.sequence < target else { return false }
      found = boundary
      return true
    }
    return found.map(move)
      ?? LogHead(sequence: header.firstSequence - 1, chain: header.previousChain)
  }

  /// Moves to the first boundary from an offset on where there is a batch to read; returns the head
  /// and the offset there, or nil where there is none.
  func skip(toOffset offset: UInt64) -> (head: LogHead, offset: UInt64)? {
    var found: Boundary?
    forEachBoundary { boundary in
      if boundary.offset >= offset, boundary.batch < header.batches.count { found = boundary }
      return found == nil
    }
    return found.map { (move(to: $0), $0.offset) }
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

  /// Decodes the next frame and recomputes the chain hashes of its batches: nothing is given out of
  /// a frame whose last hash is not the one in the table.
  private func decodeSharedFrame(due head: LogHead) throws {
    let index = nextFrame
    let frame = header.frames[index]
    let start = frameOffset
    try decodeFrame()
    var isRight = false
    defer {
      if !isRight {
        // Asked again, the frame is refused again.
        left = 0..<0
        nextFrame = index
        frameOffset = start
      }
    }
    var head = head
    var place = 0
    var hashes = emptiedChains(for: Int(frame.batchesEnded))
    var count = 0
    let end = min(nextBatch + Int(frame.batchesEnded), header.batches.count)
    for batch in header.batches[nextBatch..<end] {
      guard batch.plainLength <= UInt64(left.count - place) else { break }
      head = self.head(after: batch, at: place, due: head)
      if count < Self.chainsAtOnce { hashes.append(head.chain) }
      count += 1
      place += Int(batch.plainLength)
    }
    guard place == left.count, count == Int(frame.batchesEnded) else {
      throw EventLogError.damaged(
        .seal, "a frame does not hold the batches that its table says", path, start,
        head.sequence + 1)
    }
    guard head.chain == frame.chain else {
      throw EventLogError.damaged(
        .chain, "the batches of a frame are not those of its chain hash", path, start,
        head.sequence)
    }
    chains = hashes
    isRight = true
  }

  /// The array of chain hashes, taken away and emptied, to be filled with others.
  private func emptiedChains(for count: Int) -> [ChainHash] {
    var hashes = chains
    chains = []
    nextChain = 0
    hashes.removeAll(keepingCapacity: true)
    hashes.reserveCapacity(min(count, Self.chainsAtOnce))
    return hashes
  }

  /// Computes the hashes of further batches in a frame that was found right.
  private func recomputeChains(due head: LogHead) {
    var head = head
    var place = left.lowerBound
    var hashes = emptiedChains(for: header.batches.count - nextBatch)
    for batch in header.batches[nextBatch...].prefix(Self.chainsAtOnce) {
      guard place < left.upperBound, batch.plainLength <= UInt64(left.upperBound - place) else {
        break
      }
      head = self.head(after: batch, at: place, due: head)
      hashes.append(head.chain)
      place += Int(batch.plainLength)
    }
    chains = hashes
  }

  private func head(after batch: SealHeader.Batch, at place: Int, due head: LogHead) -> LogHead {
    let plain = UnsafeRawBufferPointer(
      rebasing: splitter.frame[place..<place + Int(batch.plainLength)])
    let chain = hasher.hash(
      plain, firstSequence: head.sequence + 1, eventCount: batch.eventCount, previous: head.chain)
    return LogHead(sequence: head.sequence + batch.eventCount, chain: chain)
  }

  /// Checks every stored byte of the data frames, and decodes nothing.
  func checkFrames() throws {
    var offset = UInt64(header.length)
    for frame in header.frames {
      let stored = try file.read(Int(frame.entry.storedLength), at: offset)
      guard stored.withUnsafeBytes({ CRC32.of($0) }) == frame.entry.crc else {
        throw EventLogError.damaged(
          .frameCRC, "a data frame is not what was written", path, offset, header.firstSequence)
      }
      offset += UInt64(frame.entry.storedLength)
    }
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
      segmentFirst: segmentFirst, offset: batchOffset)
  }

  func nextText() throws -> UnsafeRawBufferPointer? {
    while true {
      if let text = try splitter.next(path: path, offset: frameOffset, sequence: sequence) {
        return text
      }
      guard ownFrames > 0 else { return nil }
      ownFrames -= 1
      try decodeFrame()
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
    if let spent, ahead?.next != nextFrame {
      // One frame alone is decoded here: there is nothing to do meanwhile. So is each where the system gives no
      // thread: it costs time and nothing else.
      ahead =
        nextFrame + 1 < header.frames.count
        ? try? FramesAhead(header.frames, from: nextFrame, of: file, at: frameOffset, into: spent)
        : nil
    }
    if let decoded = ahead?.take(for: splitter.buffer) {
      splitter.take(decoded)
    } else {
      ahead = nil
      let room = splitter.room(for: Int(frame.entry.plainLength))
      try decoder.decode(frame.entry, of: file, at: frameOffset, sequence: sequence, into: room)
    }
    frameOffset += UInt64(frame.entry.storedLength)
    nextFrame += 1
    left = 0..<Int(frame.entry.plainLength)
  }

  private func damaged(_ damage: EventLogError.Damage, _ what: String) -> EventLogError {
    .damaged(damage, what, file.path, frameOffset, sequence)
  }
}
