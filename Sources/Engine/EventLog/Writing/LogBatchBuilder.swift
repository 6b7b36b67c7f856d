import LibC
import Support

/// Gathers the lines of a batch: compresses and hashes them as they come, and keeps only the
/// compressed bytes.
package struct LogBatchBuilder: ~Copyable {
  /// The head that the batch follows.
  package let expected: LogHead
  package private(set) var eventCount: UInt64 = 0
  package private(set) var plainLength: UInt64 = 0

  private let logID: LogID
  private let limits: LogLimits
  private let compressor: ZstdCompressor
  private var hasher: ChainHasher
  private var pending: [UInt8] = []
  private var frames: [FrameEntry] = []
  private var stored: [UInt8] = []

  init(after head: LogHead, of logID: LogID, limits: LogLimits, compressor: ZstdCompressor) {
    expected = head
    self.logID = logID
    self.limits = limits
    self.compressor = compressor
    hasher = ChainHasher(previous: head.chain, firstSequence: head.sequence + 1)
  }

  /// Adds one event: a line without its line feed.
  ///
  /// - Throws: `invalidBatch` if the line is empty, too long, or holds a line feed.
  package mutating func append(line: UnsafeRawBufferPointer) throws {
    guard let start = line.baseAddress, line.count > 0, line.count < limits.line,
      memchr(start, 0x0A, line.count) == nil
    else {
      throw EventLogError(
        .invalidBatch,
        "event \(expected.sequence + eventCount + 1) is not a line of 1 to \(limits.line - 1) bytes "
          + "without a line feed", sequence: expected.sequence + eventCount + 1)
    }
    eventCount += 1
    plainLength += UInt64(line.count) + 1
    pending.append(contentsOf: line)
    pending.append(0x0A)
    guard pending.count >= limits.frame else { return }
    var flushed = 0
    while pending.count - flushed >= limits.frame {
      try flush(flushed..<flushed + limits.frame)
      flushed += limits.frame
    }
    pending.removeFirst(flushed)
  }

  /// Adds the events of whole lines, each with its line feed.
  package mutating func append(lines: UnsafeRawBufferPointer) throws {
    for line in lines.dropLast().split(separator: 0x0A, omittingEmptySubsequences: false) {
      try append(line: UnsafeRawBufferPointer(rebasing: line))
    }
  }

  private mutating func flush(_ range: Range<Int>) throws {
    guard frames.count < limits.frames else {
      throw EventLogError(.invalidBatch, "the batch is too long: over \(limits.frames) frames")
    }
    let frame = try pending.withUnsafeBytes { bytes in
      let plain = UnsafeRawBufferPointer(rebasing: bytes[range])
      hasher.add(plain)
      return try compressor.appendFrame(plain, to: &stored)
    }
    frames.append(frame)
  }

  /// The header of the whole batch and the bytes of its frames.
  consuming func finish() throws -> (header: BatchHeader, frames: [UInt8]) {
    guard eventCount > 0 else {
      throw EventLogError(.invalidBatch, "a batch without events cannot be appended")
    }
    if !pending.isEmpty { try flush(0..<pending.count) }
    let header = BatchHeader(
      logID: logID, firstSequence: expected.sequence + 1, eventCount: eventCount,
      plainLength: plainLength, previousChain: expected.chain,
      chain: hasher.finish(eventCount: eventCount), frames: frames)
    return (header, stored)
  }
}
