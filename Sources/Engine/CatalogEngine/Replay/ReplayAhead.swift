import CatalogModel
package import EventLog
import LibC
package import Projections
import Support

/// Reads a log on one thread and decodes it on two others, ahead of the thread that takes the events. A further
/// one decompresses and hashes frames of sealed segments; at the end of a segment another one those of the next.
///
/// What comes out is what `EventReplay` gives, in the same order, errors too: a batch counts when
/// `nextBatch` returns it, after its chain hash was checked. `EventReplay` is the plain twin, which
/// `ReplayAheadTests` holds it against. Memory is bounded by the queues between the threads.
package final class ReplayAhead {
  /// Lines of one or several batches.
  private struct Text: Sendable {
    var bytes: [UInt8] = []
    var parts: [Part] = []

    /// What stands up to `end`: lines from a sequence on, and the batch that ends with them.
    struct Part: Sendable {
      var end: Int
      var first: UInt64
      var batch: BatchInfo?
    }

    /// Notes that a batch ends here: most often with the lines of the part before.
    mutating func end(_ batch: BatchInfo) {
      if let last = parts.indices.last, parts[last].batch == nil {
        parts[last].batch = batch
      } else {
        parts.append(Part(end: bytes.count, first: batch.lastSequence + 1, batch: batch))
      }
    }

    mutating func empty() {
      bytes.removeAll(keepingCapacity: true)
      parts.removeAll(keepingCapacity: true)
    }
  }

  /// Events of one or several batches, with how many come up to the end of each batch that ends.
  ///
  /// Given from thread to thread: one has it at a time.
  private final class Events: @unchecked Sendable {
    let block: any EventBlock
    var ends: [(count: Int, batch: BatchInfo)] = []
    /// What ended the log behind these events: its end where this is nil.
    var failure: (any Error)?
    var isLast = false

    init(_ block: any EventBlock) {
      self.block = block
    }

    func empty() {
      block.removeAll()
      ends.removeAll(keepingCapacity: true)
    }
  }

  private enum Step: Sendable {
    case text(Text)
    case end((any Error)?)
  }

  /// A thread that decodes, between the one that reads and the one that takes.
  ///
  /// What was used goes back to the thread that made it, which frees it and uses its room again. Freed by
  /// another thread it would cost more than the decoding: both would wait for the same arena of malloc.
  private final class Lane: Sendable {
    let texts = BoundedQueue<Step>(capacity: 4)
    let events = BoundedQueue<Events>(capacity: 4)
    let spentTexts = BoundedQueue<Text>(capacity: 6)
    let spentEvents = BoundedQueue<Events>(capacity: 6)
  }

  /// They take turns: text by text is given out, and their events are taken, in this order.
  private let lanes = [Lane(), Lane()]
  private var turn = 0
  private var reading: BackgroundWork<Void>?
  private var decoding: [BackgroundWork<Void>] = []

  private var current: Events
  private var next = 0
  private var nextEnd = 0

  /// Plain bytes that are handed over at once, about.
  private static let textLength = 256 << 10

  /// - Parameter purpose: says which events may be left out.
  package convenience init(_ log: CatalogLog, for purpose: ReplayPurpose = .rows) throws {
    try self.init(log.reader) { [kind = log.kind] in kind.makeDecoder(purpose) }
  }

  /// - Parameter makeDecoder: called once by each thread that decodes.
  package init(
    _ reader: any LogStore, decoder makeDecoder: @escaping @Sendable () -> any BlockDecoder
  ) throws {
    current = Events(makeDecoder().makeBlock())
    let cursor = Transferred(try reader.cursor(after: nil, decodesAhead: true))
    reading = try BackgroundWork { [lanes] in Self.read(cursor.value, into: lanes) }
    for lane in lanes {
      decoding.append(try BackgroundWork { Self.decode(lane, makeDecoder()) })
    }
  }

  deinit {
    close()
  }

  /// Ends the other threads and waits for their end.
  package func close() {
    for lane in lanes {
      lane.texts.cancel()
      lane.events.cancel()
    }
    reading?.wait()
    for work in decoding { work.wait() }
    reading = nil
    decoding = []
  }

  /// Hands over the events of the next batch, in order, block by block, and returns the batch; nil at the end.
  package func nextBatch(
    _ body: (any EventBlock, Range<Int>) throws -> Void
  ) throws -> BatchInfo? {
    while true {
      let end = nextEnd < current.ends.count ? current.ends[nextEnd].count : current.block.count
      if next < end {
        let range = next..<end
        next = end
        try body(current.block, range)
      }
      if nextEnd < current.ends.count {
        nextEnd += 1
        return current.ends[nextEnd - 1].batch
      }
      if let failure = current.failure { throw failure }
      guard !current.isLast else { return nil }
      try takeMore()
    }
  }

  private func takeMore() throws {
    let lane = lanes[turn % lanes.count]
    guard let more = lane.events.take() else { preconditionFailure("read after `close`") }
    let spent = current
    current = more
    // It is the lane before that made it.
    if turn > 0 { lanes[(turn - 1) % lanes.count].spentEvents.offer(spent) }
    turn += 1
    next = 0
    nextEnd = 0
  }

  // MARK: The other threads

  private static func read(_ cursor: any BatchCursor, into lanes: [Lane]) {
    var texts = TextWriter(lanes: lanes)
    var failure: (any Error)?
    do {
      while true {
        if let block = try cursor.nextBatches(length: texts.room) {
          guard texts.add(block) else { return }
          continue
        }
        guard let batch = try cursor.nextBatch() else { break }
        while let block = try cursor.nextLines() {
          guard block.forEachPiece(of: textLength, { texts.add($0, first: $1) }) else { return }
        }
        texts.end(batch)
      }
    } catch {
      failure = error
    }
    texts.end(failure)
  }

  /// Puts lines together to texts and gives these to the lanes by turns.
  private struct TextWriter {
    private let lanes: [Lane]
    private var text = Text()
    private var turn = 0

    init(lanes: [Lane]) {
      self.lanes = lanes
    }

    /// How much more is handed over at once.
    var room: Int { textLength - text.bytes.count }

    /// False where nobody takes texts any more.
    mutating func add(_ lines: UnsafeRawBufferPointer, first: UInt64) -> Bool {
      append(lines)
      text.parts.append(Text.Part(end: text.bytes.count, first: first))
      return text.bytes.count < textLength || hand()
    }

    /// Whole batches; false where nobody takes texts any more.
    mutating func add(_ block: BatchBlock) -> Bool {
      var end = text.bytes.count
      append(block.bytes)
      for batch in block.batches {
        end += Int(batch.plainLength)
        text.parts.append(Text.Part(end: end, first: batch.firstSequence, batch: batch))
      }
      return text.bytes.count < textLength || hand()
    }

    private mutating func append(_ lines: UnsafeRawBufferPointer) {
      if text.bytes.isEmpty { text.bytes.reserveCapacity(textLength * 3 / 2) }
      text.bytes.append(contentsOf: lines)
    }

    mutating func end(_ batch: BatchInfo) {
      text.end(batch)
    }

    /// The log ended, by this error where it is not nil.
    mutating func end(_ failure: (any Error)?) {
      if hand() { _ = lanes[turn % lanes.count].texts.put(.end(failure)) }
    }

    private mutating func hand() -> Bool {
      guard !text.parts.isEmpty else { return true }
      let isTaken = lanes[turn % lanes.count].texts.put(.text(text))
      turn += 1
      text = lanes[turn % lanes.count].spentTexts.poll() ?? Text()
      text.empty()
      return isTaken
    }
  }
}

extension ReplayAhead {
  /// Given away: who made it does not touch it any more.
  private struct Transferred: @unchecked Sendable {
    let value: any BatchCursor

    init(_ value: any BatchCursor) {
      self.value = value
    }
  }

  private static func decode(_ lane: Lane, _ decoder: any BlockDecoder) {
    var decoder = decoder
    while let step = lane.texts.take() {
      let decoded = lane.spentEvents.poll() ?? Events(decoder.makeBlock())
      decoded.empty()
      switch step {
      case .text(let text):
        decode(text, &decoder, into: decoded)
        lane.spentTexts.offer(text)
      case .end(let failure):
        decoded.failure = failure
        decoded.isLast = true
      }
      let isLast = decoded.isLast
      guard lane.events.put(decoded), !isLast else { return }
    }
  }

  private static func decode(
    _ text: Text, _ decoder: inout any BlockDecoder, into events: Events
  ) {
    let block = events.block
    var failed = UInt64.max
    do {
      try text.bytes.withUnsafeBytes { bytes in
        guard let first = text.parts.first?.first, !bytes.isEmpty else { return }
        try decoder.decode(bytes, first: first, into: block)
      }
    } catch {
      events.failure = error
      events.isLast = true
      failed = (error as? EventDecodingError)?.sequence ?? text.parts[0].first
    }
    var place = 0
    for part in text.parts {
      guard let batch = part.batch, batch.lastSequence < failed else { continue }
      place = block.firstPlace(after: batch.lastSequence, from: place)
      events.ends.append((place, batch))
    }
  }
}
