import Projections

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

  /// The first touch after an event; nil if there is none.
  func touch(after sequence: UInt64) -> Touch? {
    first.sequence > sequence ? first : later.first { $0.sequence > sequence }
  }
}
