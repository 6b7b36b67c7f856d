/// A batch that is being read: gives its lines and checks count and chain hash at its end.
struct BatchStream {
  let info: BatchInfo
  /// nil where the chain hash was checked before the batch was given.
  private var hasher: ChainHasher?
  private var lines: UInt64 = 0
  private var plain: UInt64 = 0
  private(set) var isDone = false

  init(_ info: BatchInfo, isChainChecked: Bool = false) {
    self.info = info
    hasher =
      isChainChecked
      ? nil : ChainHasher(previous: info.previousChain, firstSequence: info.firstSequence)
  }

  /// Notes a block of whole lines.
  mutating func take(_ bytes: UnsafeRawBufferPointer, path: String) throws -> LineBlock {
    hasher?.add(bytes)
    plain += UInt64(bytes.count)
    let count = Self.lineFeeds(in: bytes)
    let block = LineBlock(
      firstSequence: info.firstSequence + lines, lineCount: count, bytes: bytes)
    lines += UInt64(count)
    guard lines <= info.eventCount else { throw wrongCount(path) }
    return block
  }

  /// Checks the whole when the last line was taken.
  mutating func finish(isWithinLine: Bool, path: String) throws {
    guard !isDone else { return }
    isDone = true
    guard lines == info.eventCount, !isWithinLine, plain == info.plainLength else {
      throw wrongCount(path)
    }
    guard var hasher else { return }
    guard hasher.finish(eventCount: lines) == info.chain else {
      throw EventLogError.damaged(
        .chain, "the batch's events are not those of its chain hash", path, info.offset,
        info.firstSequence)
    }
  }

  /// Counts line feeds, eight bytes at a step.
  static func lineFeeds(in bytes: UnsafeRawBufferPointer) -> Int {
    let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
    var count = 0
    var index = 0
    while index + 8 <= bytes.count {
      // A byte becomes zero where it was a line feed; then the high bit of just those is set.
      let word =
        bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ 0x0A0A_0A0A_0A0A_0A0A
      count += (~(((word & low) &+ low) | word | low)).nonzeroBitCount
      index += 8
    }
    while index < bytes.count {
      if bytes[index] == 0x0A { count += 1 }
      index += 1
    }
    return count
  }

  private func wrongCount(_ path: String) -> EventLogError {
    .damaged(
      .eventCount, "the batch does not hold the \(info.eventCount) lines that its header says",
      path, info.offset, info.firstSequence)
  }
}
