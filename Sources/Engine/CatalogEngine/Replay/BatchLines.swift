import CatalogModel
package import EventLog
import LibC

extension LineBlock {
  /// Hands over parts that end with a line and are not much longer than `length`, each with the sequence of its first
  /// line, until `body` returns false.
  ///
  /// - Returns: whether all of them were wanted.
  func forEachPiece(
    of length: Int, _ body: (UnsafeRawBufferPointer, UInt64) throws -> Bool
  ) rethrows -> Bool {
    guard bytes.count > 2 * length, let base = bytes.baseAddress else {
      return try body(bytes, firstSequence)
    }
    var start = 0
    var first = firstSequence
    while start < bytes.count {
      var end = min(start + length, bytes.count)
      if end < bytes.count {
        let found = memchr(base + end - 1, 0x0A, bytes.count - end + 1)
        end = found.map { UnsafeRawPointer($0) - base + 1 } ?? bytes.count
      }
      let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      guard try body(piece, first) else { return false }
      start = end
      first += UInt64(piece.lineFeedCount)
    }
    return true
  }
}

extension BatchCursor {
  /// Calls `body` for each line that is left of the batch, without its line feed, and with its sequence.
  package func forEachLine(
    _ body: (UnsafeRawBufferPointer, UInt64) throws -> Void
  ) throws {
    while let block = try nextLines() {
      try EventLines.forEach(in: block.bytes, first: block.firstSequence, body)
    }
  }
}
