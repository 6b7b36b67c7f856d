package import CatalogModel
package import EventLog

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads a log on one thread and decodes it on another, ahead of the thread that takes the events.
///
/// What comes out is what `EventReplay` gives, in the same order, errors too: a batch counts when
/// `nextBatch` returns it, after its chain hash was checked. `EventReplay` is the plain twin, which
/// `ReplayAheadTests` holds it against. Memory is bounded by the queues between the threads.
package final class ReplayAhead {
  /// Lines of one or several batches.
  private struct Text: Sendable {
    var bytes: [UInt8] = []
    var parts: [Part] = []

    /// What stands up to `end`: lines from a sequence on, or that go on from the part before, and the
    /// batch that ends with them.
    struct Part: Sendable {
      var end: Int
      var first: UInt64?
      var batch: BatchInfo?
    }
  }

  /// Events of one or several batches, with how many come up to the end of each batch that ends.
  private struct Events: Sendable {
    var records: [EventRecord] = []
    var ends: [(count: Int, batch: BatchInfo)] = []
    /// What ended the log behind these events: its end where this is nil.
    var failure: (any Error)?
    var isLast = false
  }

  private enum Step: Sendable {
    case text(Text)
    case end((any Error)?)
  }

  private let texts = BoundedQueue<Step>(capacity: 8)
  private let events = BoundedQueue<Events>(capacity: 8)
  private var reading: BackgroundWork<Void>?
  private var decoding: BackgroundWork<Void>?

  private var current = Events()
  private var next = 0
  private var nextEnd = 0

  /// Plain bytes that are handed over at once, about.
  private static let textLength = 64 << 10

  /// - Parameter item: events about one other item are passed over.
  package init(
    _ reader: EventLogReader, after head: LogHead? = nil, about item: EntityID? = nil
  ) throws {
    let cursor = Transferred(try reader.cursor(after: head))
    reading = try BackgroundWork { [texts] in Self.read(cursor.value, into: texts) }
    decoding = try BackgroundWork { [texts, events] in
      Self.decode(texts, about: item, into: events)
    }
  }

  deinit {
    close()
  }

  /// Ends the other threads and waits for their end.
  package func close() {
    texts.cancel()
    events.cancel()
    reading?.wait()
    decoding?.wait()
    reading = nil
    decoding = nil
  }

  /// Hands over the events of the next batch, in order, and returns the batch; nil at the end.
  package func nextBatch(_ body: (EventRecord) throws -> Void) throws -> BatchInfo? {
    while true {
      let end = nextEnd < current.ends.count ? current.ends[nextEnd].count : current.records.count
      while next < end {
        try body(current.records[next])
        next += 1
      }
      if nextEnd < current.ends.count {
        nextEnd += 1
        return current.ends[nextEnd - 1].batch
      }
      if let failure = current.failure { throw failure }
      guard !current.isLast else { return nil }
      guard let more = events.take() else { preconditionFailure("read behind `close`") }
      current = more
      next = 0
      nextEnd = 0
    }
  }

  // MARK: The other threads

  private static func read(_ cursor: LogCursor, into texts: BoundedQueue<Step>) {
    var text = Text()
    func hand() -> Bool {
      let full = text
      text = Text()
      return full.parts.isEmpty || texts.put(.text(full))
    }
    do {
      while let batch = try cursor.nextBatch() {
        while let block = try cursor.nextLines() {
          let isWanted = forEachPiece(of: block) { piece, first in
            if text.bytes.isEmpty { text.bytes.reserveCapacity(textLength * 3 / 2) }
            text.bytes.append(contentsOf: piece)
            text.parts.append(Text.Part(end: text.bytes.count, first: first))
            return text.bytes.count < textLength || hand()
          }
          if !isWanted { return }
        }
        text.parts.append(Text.Part(end: text.bytes.count, batch: batch))
      }
      if hand() { _ = texts.put(.end(nil)) }
    } catch {
      if hand() { _ = texts.put(.end(error)) }
    }
  }
}

extension ReplayAhead {
  /// Given away: who made it does not touch it any more.
  private struct Transferred: @unchecked Sendable {
    let value: LogCursor

    init(_ value: LogCursor) {
      self.value = value
    }
  }

  /// Parts of a block that end with a line and are not much longer than what is handed over at once.
  private static func forEachPiece(
    of block: LineBlock, _ body: (UnsafeRawBufferPointer, UInt64?) -> Bool
  ) -> Bool {
    guard block.bytes.count > 2 * textLength, let base = block.bytes.baseAddress else {
      return body(block.bytes, block.firstSequence)
    }
    var start = 0
    while start < block.bytes.count {
      var end = min(start + textLength, block.bytes.count)
      if end < block.bytes.count {
        let found = memchr(base + end - 1, 0x0A, block.bytes.count - end + 1)
        end = found.map { UnsafeRawPointer($0) - base + 1 } ?? block.bytes.count
      }
      let piece = UnsafeRawBufferPointer(rebasing: block.bytes[start..<end])
      guard body(piece, start == 0 ? block.firstSequence : nil) else { return false }
      start = end
    }
    return true
  }

  private static func decode(
    _ texts: BoundedQueue<Step>, about item: EntityID?, into events: BoundedQueue<Events>
  ) {
    var decoder = EventDecoder()
    var sequence: UInt64 = 0
    while let step = texts.take() {
      var decoded = Events()
      switch step {
      case .text(let text):
        decode(text, about: item, &decoder, &sequence, into: &decoded)
      case .end(let failure):
        decoded.failure = failure
        decoded.isLast = true
      }
      let isLast = decoded.isLast
      guard events.put(decoded), !isLast else { return }
    }
  }

  private static func decode(
    _ text: Text, about item: EntityID?, _ decoder: inout EventDecoder,
    _ sequence: inout UInt64, into events: inout Events
  ) {
    do {
      try text.bytes.withUnsafeBytes { bytes in
        // A line of an import has some 300 bytes.
        events.records.reserveCapacity(bytes.count / 256 + 1)
        var start = 0
        for part in text.parts {
          let lines = UnsafeRawBufferPointer(rebasing: bytes[start..<part.end])
          if let first = part.first { sequence = first }
          try EventReplay.forEachLine(lines, first: sequence) { line, number in
            sequence = number + 1
            if let item, let other = decoder.item(of: line), other != item { return }
            events.records.append(try decoder.decode(line: line, expecting: number))
          }
          if let batch = part.batch { events.ends.append((events.records.count, batch)) }
          start = part.end
        }
      }
    } catch {
      events.failure = error
      events.isLast = true
    }
  }
}
