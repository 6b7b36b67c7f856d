import LibC

/// A batch that is being read: gives its lines and checks count and chain hash at its end.
struct BatchStream {
  let info: BatchInfo
  /// nil if the chain hash was checked before the batch was given.
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
  ///
  /// - Parameter path: of the file, for the error: a log of small batches comes here a million times.
  mutating func take(
    _ bytes: UnsafeRawBufferPointer, path: @autoclosure () -> String
  ) throws -> LineBlock {
    hasher?.add(bytes)
    plain += UInt64(bytes.count)
    let count = bytes.lineFeedCount
    let block = LineBlock(
      firstSequence: info.firstSequence + lines, lineCount: count, bytes: bytes)
    lines += UInt64(count)
    guard lines <= info.eventCount else { throw wrongCount(path()) }
    return block
  }

  /// Checks the whole when the last line was taken.
  mutating func finish(isWithinLine: Bool, path: @autoclosure () -> String) throws {
    guard !isDone else { return }
    isDone = true
    guard lines == info.eventCount, !isWithinLine, plain == info.plainLength else {
      throw wrongCount(path())
    }
    guard var hasher else { return }
    guard hasher.finish(eventCount: lines) == info.chain else {
      throw EventLogError.damaged(
        .chain, "the batch's events do not match its chain hash", path(), info.offset,
        info.firstSequence)
    }
  }

  private func wrongCount(_ path: String) -> EventLogError {
    .damaged(
      .eventCount, "the batch does not hold the \(info.eventCount) lines that its header says",
      path, info.offset, info.firstSequence)
  }
}

extension UnsafeRawBufferPointer {
  /// How many line feeds there are. A line has some hundred bytes: to look for the next is less work than to
  /// look at each byte.
  package var lineFeedCount: Int {
    guard var place = baseAddress else { return 0 }
    let end = place + self.count
    var count = 0
    while let found = memchr(place, 0x0A, end - place) {
      count += 1
      place = UnsafeRawPointer(found) + 1
    }
    return count
  }
}
