package import CatalogModel
package import EventLog
import Support

/// A point in the history of a catalog, as a person names it.
package enum Moment: Hashable, Sendable {
  /// The state after the whole batch that holds this event.
  case sequence(UInt64)
  /// The state after the last batch of the log, in the log's order, whose time is not later. If times go back in the
  /// log, it may contain batches that are later.
  case time(Timestamp)
  /// The live database as it is, whatever the log says.
  case live

  /// Reads `3534`, `live`, or a time such as `2026-01-31T12:00:00Z` (`Timestamp.typed`). Any other text gives nil.
  package init?(_ text: String) {
    if text == "live" {
      self = .live
    } else if !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit),
      let sequence = UInt64(text)
    {
      self = .sequence(sequence)
    } else if let time = Timestamp.typed(text) {
      self = .time(time)
    } else {
      return nil
    }
  }

  /// Finds the state in a log that this moment means.
  ///
  /// - Throws: `CatalogError` with `noMoment` for a sequence that the log does not have, and for a time before its first
  ///   batch.
  package func found(in log: any LogStore, until limit: TimeLimit? = nil) throws -> FoundMoment {
    let head = try log.requireEvents().head
    switch self {
    case .live: return FoundMoment(moment: self, sequence: nil, reversal: nil)
    case .sequence(let sequence):
      guard sequence >= 1, sequence <= head.sequence else {
        throw CatalogError(
          .noMoment, "there is no event \(sequence); the log holds events 1 to \(head.sequence)")
      }
      let last = try log.batch(containing: sequence).lastSequence
      return FoundMoment(moment: self, sequence: last, reversal: nil)
    case .time(let time):
      var search = MomentSearch(time)
      try TimedBatch.forEach(in: log, until: limit) { search.add($0) }
      return try search.found()
    }
  }
}

/// Finds the state that a time means, from the batches of a log in their order.
struct MomentSearch {
  private let time: Timestamp
  private var last: TimedBatch?
  private var previous: TimedBatch?
  private var earliest: Timestamp?
  private var reversal: TimeReversal?

  init(_ time: Timestamp) {
    self.time = time
  }

  mutating func add(_ batch: TimedBatch) {
    if batch.time <= time {
      last = batch
      if let previous, previous.time > time {
        reversal = TimeReversal(before: previous, after: batch)
      }
    }
    earliest = min(earliest ?? batch.time, batch.time)
    previous = batch
  }

  /// - Throws: `CatalogError` with `noMoment` for a time before all batches.
  func found() throws -> FoundMoment {
    guard let last else {
      throw CatalogError(
        .noMoment,
        "no batch of the log is as early as \(time); the earliest is of \(earliest.map(\.description) ?? "?")"
      )
    }
    return FoundMoment(moment: .time(time), sequence: last.lastSequence, reversal: reversal)
  }
}

/// The state in a log that a moment means.
package struct FoundMoment: Hashable, Sendable {
  package let moment: Moment
  /// The last event of the state; nil if it is the live database.
  package let sequence: UInt64?
  /// Where the times of the log go back, if the state contains a batch that is later than the named time.
  package let reversal: TimeReversal?

  /// Which state is shown, for a person; nil if it is the one that was named, and for `live`.
  ///
  /// The log has whole batches, and no state within one: a user who names event 5 of a batch of thousands reads which
  /// state is shown instead.
  package var words: String? {
    guard let sequence else { return nil }
    return switch moment {
    case .live, .sequence(sequence): nil
    case .sequence(let wanted):
      "as of event \(sequence), the end of the batch that holds event \(wanted)"
    case .time(let time):
      "as of event \(sequence), the end of the last batch of the log not after \(time)"
    }
  }

  /// The part of the state that the named time does not say; nil if there is nothing.
  package var warning: String? {
    reversal.map { "times go back in the log: \($0.words); this state contains both" }
  }
}
