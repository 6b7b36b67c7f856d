package import CatalogModel
package import EventLog

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads a log batch by batch as typed events.
package final class EventReplay {
  private let cursor: LogCursor
  private var decoder = EventDecoder()

  package init(_ reader: EventLogReader, after head: LogHead? = nil) throws {
    cursor = try reader.cursor(after: head)
  }

  /// Hands over the events of the next batch, in order, and returns the batch; nil at the end.
  ///
  /// The batch's chain hash is checked only after its last event: what `body` did with the events
  /// counts when this returns.
  ///
  /// - Parameters:
  ///   - item: events about one other item are passed over.
  ///   - last: events up to this one are passed over.
  package func nextBatch(
    about item: EntityID? = nil, after last: UInt64 = 0, _ body: (EventRecord) throws -> Void
  ) throws -> BatchInfo? {
    guard let batch = try cursor.nextBatch() else { return nil }
    while let block = try cursor.nextLines() {
      try EventReplay.forEachLine(block.bytes, first: block.firstSequence) { line, sequence in
        if sequence <= last { return }
        if let item, let other = decoder.item(of: line), other != item { return }
        try body(decoder.decode(line: line, expecting: sequence))
      }
    }
    return batch
  }

  /// Calls `body` for each line of whole lines, without its line feed.
  package static func forEachLine(
    _ bytes: UnsafeRawBufferPointer, first: UInt64,
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
