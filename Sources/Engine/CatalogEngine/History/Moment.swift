package import CatalogModel
import EventLog
import Support

/// A point in the history of a catalog, as a person names it.
package enum Moment: Hashable, Sendable {
  /// The state before event 1: every table is empty.
  case start
  /// The state after the whole batch that holds this event.
  case sequence(UInt64)
  /// The state this many batches before the end of the log; 0 is the end.
  case head(back: UInt64)
  /// The state after the last batch of an operation.
  indirect case operation(OperationName)
  /// The state after the last batch of the log, in the log's order, whose time is not later. If times go back in the
  /// log, it may contain batches that are later.
  case time(Timestamp)
  /// The state at the end of a day or a month.
  case span(TimeSpan)
  /// The live database as it is, whatever the log says.
  case live

  /// The time whose state is meant; nil if the moment is not a time.
  var time: Timestamp? {
    switch self {
    case .time(let time): time
    case .span(let span): span.last
    case .start, .sequence, .head, .operation, .live: nil
    }
  }

  /// The beginning of a range that has everything of this day or month: before it. Any other moment is the state after which
  /// the range begins.
  package var asBeginning: Moment {
    guard case .span(let span) = self else { return self }
    return .time(Timestamp(milliseconds: span.first.milliseconds - 1))
  }

  /// Finds the state in a log that this moment means.
  ///
  /// - Parameter history: of the same catalog, which knows the batches of an operation; nil reads the log for them.
  /// - Throws: `CatalogError`: `noMoment` for a sequence that the log does not have, and for a time before its first batch;
  ///   `notFound` if no operation or more than one begins as named.
  package func found(in log: CatalogLog, history: CatalogHistory? = nil) throws -> FoundMoment {
    let head = try log.reader.requireEvents().head
    func state(after sequence: UInt64) -> FoundMoment {
      FoundMoment(moment: self, sequence: sequence, reversal: nil)
    }
    switch self {
    case .live: return FoundMoment(moment: self, sequence: nil, reversal: nil)
    case .start: return state(after: 0)
    case .head(let back): return state(after: try Self.end(of: log, head, back: back))
    case .operation(let name):
      return state(after: try OperationRange(showing: name, in: log, history: history).last)
    case .sequence(let sequence) where 1...head.sequence ~= sequence:
      return state(after: try log.batch(containing: sequence).lastSequence)
    case .sequence(let sequence) where sequence > head.sequence:
      // So many digits may begin the id of an operation: then that is what is meant.
      do {
        let range = try OperationRange(
          showing: .events(sequence...sequence), in: log, history: history)
        return FoundMoment(
          moment: .operation(.prefix("\(sequence)")), sequence: range.last, reversal: nil)
      } catch let error as CatalogError where error.code == .noMoment {
        throw CatalogError(.noMoment, Self.absence(of: sequence, head))
      }
    case .sequence(let sequence):
      throw CatalogError(.noMoment, Self.absence(of: sequence, head))
    case .time, .span:
      var search = MomentSearch(self)
      try TimedBatch.forEach(in: log.reader, until: log.limit) { search.add($0) }
      return try search.found()
    }
  }

  private static func absence(of sequence: UInt64, _ head: LogHead) -> ErrorMessage {
    return
      "there is no event \(sequence); the log holds events 1 to \(head.sequence)\(hint(on: sequence))"
  }

  /// Says how a time is written, if digits that are no event may be one.
  private static func hint(on sequence: UInt64) -> String {
    // From 2001 on, a number of seconds has ten digits.
    if 1_000_000_000...9_999_999_999 ~= sequence {
      return
        "; if this is a Unix time, write \(Timestamp(milliseconds: Int64(sequence) * 1_000))"
    }
    let digits = "\(sequence)"
    let (year, rest) = (digits.prefix(4), digits.dropFirst(4))
    guard let number = Int(year), 1970...2099 ~= number else { return "" }
    let date: String
    switch rest.count {
    case 0: return "; if this is a year, name a month of it, such as \(year)-12"
    case 2: date = "\(year)-\(rest)"
    case 4: date = "\(year)-\(rest.prefix(2))-\(rest.suffix(2))"
    default: return ""
    }
    return Moment(date) == nil ? "" : "; if this is a date, write \(date)"
  }

  /// The last event of the state some batches before the end of a log.
  private static func end(
    of log: CatalogLog, _ head: LogHead, back: UInt64
  ) throws -> UInt64 {
    var last = head.sequence
    for step in 0..<back {
      guard last > 0 else {
        throw CatalogError(
          .noMoment,
          "the log has \(step) \(step == 1 ? "batch" : "batches"), too few for head~\(back)"
        )
      }
      try log.limit?.check()
      last = try log.batch(containing: last).firstSequence - 1
    }
    return last
  }
}

/// A day or a month, in UTC.
package struct TimeSpan: Hashable, Sendable {
  package let first: Timestamp
  /// Its last millisecond.
  package let last: Timestamp

  package init(first: Timestamp, last: Timestamp) {
    (self.first, self.last) = (first, last)
  }
}

/// Finds the state that a time means, from the batches of a log in their order.
struct MomentSearch {
  private let moment: Moment
  private let time: Timestamp
  private var last: TimedBatch?
  private var previous: TimedBatch?
  private var earliest: Timestamp?
  private var reversal: TimeReversal?

  /// - Parameter moment: a time, or a day or month.
  init(_ moment: Moment) {
    self.moment = moment
    time = moment.time ?? Timestamp(milliseconds: .max)
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
        "no batch of the log is as early as \(time); the earliest is of \(earliest.map(\.description) ?? "?"); start is the state before it"
      )
    }
    return FoundMoment(moment: moment, sequence: last.lastSequence, reversal: reversal)
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
    case .live, .start, .head(0), .sequence(sequence): nil
    case .sequence(let wanted):
      "as of event \(sequence), the end of the batch that holds event \(wanted)"
    case .head(let back):
      "as of event \(sequence), \(back) \(back == 1 ? "batch" : "batches") before the head"
    case .operation(let name): "as of event \(sequence), the end of operation \(name)"
    case .time(let time):
      "as of event \(sequence), the end of the last batch of the log not after \(time)"
    case .span(let span):
      "as of event \(sequence), the end of the last batch of the log not after \(span.last)"
    }
  }

  /// The part of the state that the named time does not say; nil if there is nothing.
  package var warning: String? {
    reversal.map { "times go back in the log: \($0.words); this state contains both" }
  }
}
