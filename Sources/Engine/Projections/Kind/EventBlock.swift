public import CatalogModel

/// Decoded events of a log: some 800 of them, or those of one batch.
///
/// A decoder makes and fills blocks of its own class. A block is used by one thread at a time, and goes back to the
/// thread that made it when its events are applied: that thread uses its room again.
public protocol EventBlock: AnyObject {
  var count: Int { get }

  /// The sequence of an event. They ascend; where events were left out there are gaps.
  func sequence(at place: Int) -> UInt64

  func envelope(at place: Int) -> EventEnvelope

  /// What the event says, where it is `catalog.created`.
  func beginning(at place: Int) -> CatalogCreated?

  /// Takes all events away and keeps the room for others.
  func removeAll()
}

extension EventBlock {
  /// The place of the first event behind a sequence, at `start` or after it; `count` if there is none.
  public func firstPlace(after sequence: UInt64, from start: Int = 0) -> Int {
    // Most often it is near: many batches have one event.
    var low = start
    var step = 1
    while low + step <= count, self.sequence(at: low + step - 1) <= sequence {
      low += step
      step *= 2
    }
    var high = min(low + step - 1, count)
    while low < high {
      let middle = (low + high) / 2
      if self.sequence(at: middle) <= sequence { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// Decodes lines of a log. Used by one thread.
public protocol BlockDecoder {
  func makeBlock() -> any EventBlock

  /// Adds the events of whole lines to a block that this decoder, or another of the same kind and purpose, made.
  ///
  /// - Parameter first: the sequence of the first line.
  /// - Throws: `EventDecodingError`; the events before that one are in the block.
  mutating func decode(
    _ lines: UnsafeRawBufferPointer, first: UInt64, into block: any EventBlock
  ) throws
}
