/// A batch that is being read: gives its lines and checks count and chain hash at its end.
struct BatchStream {
  let info: BatchInfo
  private var hasher: ChainHasher
  private var lines: UInt64 = 0
  private var plain: UInt64 = 0
  private(set) var isDone = false

  init(_ info: BatchInfo) {
    self.info = info
    hasher = ChainHasher(previous: info.previousChain, firstSequence: info.firstSequence)
  }

  /// Notes a block of whole lines.
  mutating func take(_ bytes: UnsafeRawBufferPointer, path: String) throws -> LineBlock {
    hasher.add(bytes)
    plain += UInt64(bytes.count)
    var count = 0
    for byte in bytes where byte == 0x0A { count += 1 }
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
    guard hasher.finish(eventCount: lines) == info.chain else {
      throw EventLogError.damaged(
        .chain, "the batch's events are not those of its chain hash", path, info.offset,
        info.firstSequence)
    }
  }

  private func wrongCount(_ path: String) -> EventLogError {
    .damaged(
      .eventCount, "the batch does not hold the \(info.eventCount) lines that its header says",
      path, info.offset, info.firstSequence)
  }
}
