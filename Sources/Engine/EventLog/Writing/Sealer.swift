import Support

/// A segment that was sealed, with its size before and after.
package struct SealedSegment: Hashable, Sendable {
  package let name: String
  package let storedBefore: UInt64
  package let storedAfter: UInt64
}

/// Recompresses a closed segment into large frames. Needs the log's lock.
struct Sealer {
  private let folder: LogFolder
  private let limits: LogLimits

  init(_ folder: LogFolder, limits: LogLimits) {
    self.folder = folder
    self.limits = limits
  }

  /// Seals every segment that begins before this sequence and is not sealed.
  ///
  /// - Parameter step: called with the sealing of each segment, which it does.
  func seal(
    before first: UInt64,
    _ step: (() throws -> SealedSegment?) throws -> SealedSegment? = { try $0() }
  ) throws -> [SealedSegment] {
    try (folder.segments() ?? []).filter { $0 < first }
      .compactMap { segment in try step { try seal(segment) } }
  }

  /// Seals the segment that begins with this sequence; nil if it is sealed already.
  ///
  /// The sealed file is read back and must hold the same events before it takes the place of the
  /// other. Readers that have the old file open go on with it.
  func seal(_ firstSequence: UInt64) throws -> SealedSegment? {
    let name = LogFolder.name(firstSequence)
    let path = folder.path(name)
    let file = try LogFile(path, .read, folder.calls)
    guard try !SealHeader.begins(file) else { return nil }

    let (header, frames) = try recompress(file, firstSequence)
    var sealed = header
    let bytes = try header.encoded()
    sealed.length = bytes.count
    let temporary = folder.newPath(name)
    try folder.removeLeftover(temporary)
    let new = try folder.create(temporary) { new in
      try new.write(bytes, at: 0)
      try new.write(frames, at: UInt64(bytes.count))
      try new.write(sealed.seekTable(), at: UInt64(bytes.count + frames.count))
    }
    let sizes: (before: UInt64, after: UInt64)
    do {
      try verify(new, header)
      sizes = try (file.size(), new.size())
    } catch {
      folder.discard(temporary)
      throw error
    }
    try folder.replace(path, with: temporary)
    return SealedSegment(name: name, storedBefore: sizes.before, storedAfter: sizes.after)
  }

  private func recompress(
    _ file: LogFile, _ firstSequence: UInt64
  ) throws -> (SealHeader, [UInt8]) {
    let cursor = try OpenSegmentCursor(file, limits: limits)
    let first = try cursor.firstHeader()
    var head = LogHead(sequence: firstSequence - 1, chain: first.previousChain)
    var frames = try SealedFrames(
      limits: limits, chain: head.chain, isLong: try file.size() > limits.longSegment)
    defer { frames.close() }
    while let info = try cursor.nextBatch(due: head) {
      var stream = BatchStream(info)
      try frames.beginBatch(plainLength: info.plainLength)
      while let text = try cursor.nextText() {
        try frames.append(stream.take(text, path: file.path).bytes)
      }
      try stream.finish(isWithinLine: cursor.isWithinLine, path: file.path)
      head = info.head
      try frames.endBatch(eventCount: info.eventCount, chain: info.chain)
    }
    if let torn = cursor.torn {
      throw EventLogError.damaged(
        .incomplete, "a segment with a torn tail cannot be sealed", torn.file, torn.offset,
        torn.sequence)
    }
    try frames.endFrame()
    try frames.finish()
    let header = SealHeader(
      logID: first.logID, firstSequence: firstSequence,
      eventCount: head.sequence - firstSequence + 1, plainLength: frames.plainLength,
      previousChain: first.previousChain, chain: head.chain, frames: frames.table,
      batches: frames.batches)
    return (header, frames.stored)
  }

  /// Reads all of the sealed segment: its chain hashes are recomputed on the way.
  private func verify(_ file: LogFile, _ header: SealHeader) throws {
    let cursor = try SealedSegmentCursor(
      file, firstSequence: header.firstSequence, limits: limits)
    var head = LogHead(sequence: header.firstSequence - 1, chain: header.previousChain)
    while let info = try cursor.nextBatch(due: head) {
      var stream = BatchStream(info, isChainChecked: cursor.isChainChecked)
      while let text = try cursor.nextText() { _ = try stream.take(text, path: file.path) }
      try stream.finish(isWithinLine: cursor.isWithinLine, path: file.path)
      head = info.head
    }
    guard head == header.head else {
      throw EventLogError.damaged(
        .chain, "the sealed copy does not hold the same events", file.path, 0, head.sequence)
    }
  }
}

/// The data frames of a sealed segment while they are made.
///
/// A segment that one long batch made larger than others is that of an import, which waits for its sealing: a million rows of a
/// table take 9 s at the usual level. Its frames are compressed at another one, in 4 s and with 6 % more bytes, and two at a time.
private struct SealedFrames {
  private struct Compressed: Sendable {
    let entry: FrameEntry
    let stored: [UInt8]
  }

  /// The marks of a frame, which are known before it is compressed.
  private struct Marks {
    let batchesEnded: UInt32
    let chain: ChainHash
  }

  private(set) var table: [SealHeader.Frame] = []
  private(set) var batches: [SealHeader.Batch] = []
  private(set) var stored: [UInt8] = []
  private(set) var plainLength: UInt64 = 0

  private let limits: LogLimits
  private let compressor: ZstdCompressor
  private var pending: [UInt8] = []
  private var ended: UInt32 = 0
  private var chain: ChainHash
  private var batchLength: UInt64 = 0

  /// A frame that another thread compresses.
  private var ahead: (work: BackgroundWork<Compressed>, marks: Marks)?
  private let level: Int32
  private let isLong: Bool

  init(limits: LogLimits, chain: ChainHash, isLong: Bool) throws {
    self.limits = limits
    self.chain = chain
    self.isLong = isLong
    level = isLong ? ZstdCompressor.longSealLevel : ZstdCompressor.sealLevel
    compressor = try ZstdCompressor(level: level)
  }

  /// A batch that does not fit behind the others begins a frame; so does one longer than a frame.
  mutating func beginBatch(plainLength: UInt64) throws {
    batchLength = plainLength
    if UInt64(pending.count) + plainLength > UInt64(limits.sealedFrame) { try endFrame() }
  }

  mutating func append(_ text: UnsafeRawBufferPointer) throws {
    var text = text
    while pending.count + text.count > limits.sealedFrame {
      let room = limits.sealedFrame - pending.count
      pending.append(contentsOf: text[..<room])
      text = UnsafeRawBufferPointer(rebasing: text[room...])
      try endFrame()
    }
    pending.append(contentsOf: text)
  }

  mutating func endBatch(eventCount: UInt64, chain: ChainHash) throws {
    ended += 1
    self.chain = chain
    batches.append(SealHeader.Batch(eventCount: eventCount, plainLength: batchLength))
    if batchLength > UInt64(limits.sealedFrame) { try endFrame() }
  }

  mutating func endFrame() throws {
    guard !pending.isEmpty else { return }
    guard table.count + (ahead == nil ? 0 : 1) < limits.frames else {
      throw EventLogError(.invalidBatch, "the segment has over \(limits.frames) frames")
    }
    let marks = Marks(batchesEnded: ended, chain: chain)
    plainLength += UInt64(pending.count)
    ended = 0
    if isLong, ahead == nil {
      let work = try BackgroundWork { [pending, level] in
        var stored: [UInt8] = []
        let entry = try pending.withUnsafeBytes {
          try ZstdCompressor(level: level).appendFrame($0, to: &stored)
        }
        return Compressed(entry: entry, stored: stored)
      }
      ahead = (work, marks)
      pending = []
      return
    }
    var own: [UInt8] = []
    let entry = try pending.withUnsafeBytes { try compressor.appendFrame($0, to: &own) }
    try finish()
    add(Compressed(entry: entry, stored: own), marks)
    pending.removeAll(keepingCapacity: true)
  }

  /// Adds the frame that another thread compresses, if there is one.
  mutating func finish() throws {
    guard let (work, marks) = ahead else { return }
    add(try work.value(), marks)
    ahead = nil
  }

  /// Waits for the other thread, whose frame counts for nothing if it was not added.
  func close() { ahead?.work.wait() }

  private mutating func add(_ frame: Compressed, _ marks: Marks) {
    stored += frame.stored
    table.append(
      SealHeader.Frame(
        entry: frame.entry, batchesEnded: marks.batchesEnded, chain: marks.chain))
  }
}
