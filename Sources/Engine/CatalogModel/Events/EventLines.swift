import LibC

/// Lines of the log as they stand one behind the other.
package enum EventLines {
  /// Calls `body` for each line of whole lines, without its line feed, and with its sequence.
  package static func forEach(
    in bytes: UnsafeRawBufferPointer, first: UInt64,
    _ body: (UnsafeRawBufferPointer, UInt64) throws -> Void
  ) rethrows {
    guard let base = bytes.baseAddress else { return }
    var start = 0
    var sequence = first
    while start < bytes.count {
      let found = memchr(base + start, 0x0A, bytes.count - start)
      let end = found.map { UnsafeRawPointer($0) - base } ?? bytes.count
      try body(UnsafeRawBufferPointer(start: base + start, count: end - start), sequence)
      sequence += 1
      start = end + 1
    }
  }
}
