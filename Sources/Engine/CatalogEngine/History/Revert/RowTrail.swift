import Projections
import Support

/// The history of a row since an event: each event that touched it, with the row before.
struct RowTrail {
  typealias Touch = (sequence: UInt64, before: [Value]?)

  private let first: Touch
  private var later: [Touch] = []

  init(_ sequence: UInt64, before: [Value]?) { first = (sequence, before) }

  /// An event may touch a row several times.
  mutating func add(_ sequence: UInt64, before: [Value]?) {
    if (later.last ?? first).sequence < sequence { later.append((sequence, before)) }
  }

  /// In the order of the log.
  var touches: [Touch] { [first] + later }

  /// The row before the first of the events.
  var before: [Value]? { first.before }

  var firstSequence: UInt64 { first.sequence }

  /// Whether one of some events touched the row, even if it left the row as it was.
  func isTouched(by events: ClosedRange<UInt64>) -> Bool {
    touch(after: events.lowerBound - 1).map { $0.sequence <= events.upperBound } ?? false
  }

  /// The first touch after an event; nil if there is none.
  func touch(after sequence: UInt64) -> Touch? {
    if first.sequence > sequence { return first }
    let place = BinarySearch.first(of: later.count) { later[$0].sequence > sequence }
    return place < later.count ? later[place] : nil
  }
}
