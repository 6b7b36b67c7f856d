import LibC

/// Turns the plain text of frames into whole lines; a line that runs over frames is joined.
///
/// Raw memory because blocks are handed out in place: copying them would cost as much as
/// decompressing. A block lives until the next call.
///
/// `@exclusivity(unchecked)`, here and in the cursors: of a log of small batches, to check at each access that
/// nobody else is at it took a twelfth of the reading. No method hands out anything that calls back.
final class LineSplitter {
  /// The frame that is being split.
  @exclusivity(unchecked) private(set) var buffer = FrameBuffer()
  @exclusivity(unchecked) private var pending = 0..<0
  @exclusivity(unchecked) private var joined: [UInt8] = []
  @exclusivity(unchecked) private var delivered = UnsafeMutableRawBufferPointer(
    start: nil, count: 0)
  let lineLimit: Int

  init(lineLimit: Int) {
    self.lineLimit = lineLimit
  }

  deinit {
    delivered.deallocate()
  }

  var frame: UnsafeMutableRawBufferPointer { buffer.bytes }

  /// Room for a frame's plain text.
  func room(for length: Int) -> UnsafeMutableRawBufferPointer {
    buffer.room(for: length)
  }

  /// Goes on with a frame that was decoded elsewhere; what was fed of the one before is gone.
  func take(_ buffer: FrameBuffer) {
    self.buffer = buffer
  }

  /// Splits this part of the frame next.
  func feed(_ range: Range<Int>) {
    pending = range
  }

  func reset() {
    pending = 0..<0
    joined.removeAll(keepingCapacity: true)
  }

  /// Whether a line was begun and not ended.
  var isWithinLine: Bool { !joined.isEmpty }

  /// Whole lines; nil when more text is needed.
  ///
  /// - Parameters: where the text is from, for the error.
  /// - Throws: if a line is longer than the limit.
  func next(
    path: @autoclosure () -> String, offset: UInt64, sequence: UInt64
  ) throws -> UnsafeRawBufferPointer? {
    // Before it is joined: a batch that never ends its line costs no more than the longest line.
    guard joined.count + pending.count <= lineLimit || !isLineTooLong else {
      throw EventLogError.damaged(
        .frame, "a line is longer than \(lineLimit) bytes", path(), offset, sequence)
    }
    return nextLines()
  }

  /// Whether the line that is being joined goes on for longer than the limit.
  private var isLineTooLong: Bool {
    guard let base = frame.baseAddress, !pending.isEmpty else { return joined.count > lineLimit }
    let found = memchr(base + pending.lowerBound, 0x0A, pending.count)
    let rest = found.map { UnsafeRawPointer($0) - UnsafeRawPointer(base) + 1 - pending.lowerBound }
    return joined.count + (rest ?? pending.count) > lineLimit
  }

  private func nextLines() -> UnsafeRawBufferPointer? {
    guard !pending.isEmpty, let base = frame.baseAddress else { return nil }
    if joined.isEmpty {
      let text = UnsafeRawBufferPointer(rebasing: frame[pending])
      if let last = text.lastIndex(of: 0x0A) {
        pending = pending.lowerBound + last + 1..<pending.upperBound
        return UnsafeRawBufferPointer(rebasing: text[...last])
      }
      join(through: pending.upperBound)
      return nil
    }
    guard let found = memchr(base + pending.lowerBound, 0x0A, pending.count) else {
      join(through: pending.upperBound)
      return nil
    }
    join(through: UnsafeRawPointer(found) - UnsafeRawPointer(base) + 1)
    delivered.deallocate()
    delivered = .allocate(byteCount: joined.count, alignment: 16)
    delivered.copyBytes(from: joined)
    joined.removeAll(keepingCapacity: true)
    return UnsafeRawBufferPointer(delivered)
  }

  private func join(through end: Int) {
    joined.append(contentsOf: frame[pending.lowerBound..<end])
    pending = end..<pending.upperBound
  }
}
