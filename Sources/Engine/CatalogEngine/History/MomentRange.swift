import CatalogModel
import EventLog
import Support

/// A part of the history of a catalog, as a person names it: `A..B`, or one moment for what happened in it.
public struct MomentRange: Hashable, Sendable {
  /// How it was typed.
  package let text: String
  package let from: Moment
  package let to: Moment

  /// Reads `A..B`, each end a moment; without B the range ends with the log. An event, an operation and a day belong to the
  /// range; after any other moment, such as `head~3` or a time, it begins.
  ///
  /// Any other text gives nil, and so do events that go back, and event 0.
  package init?(_ text: String) {
    guard let dots = text.firstRange(of: ".."), dots.lowerBound > text.startIndex,
      let from = Moment(String(text[..<dots.lowerBound]))
    else { return nil }
    let end = text[dots.upperBound...]
    guard let to = end.isEmpty ? .head(back: 0) : Moment(String(end)), from != .live else {
      return nil
    }
    if case .sequence(let first) = from {
      var last = UInt64.max
      if case .sequence(let sequence) = to { last = sequence }
      guard first > 0, first <= last else { return nil }
    }
    (self.text, self.from, self.to) = (text, from, to)
  }

  /// Says what is wrong with a text that is nearly a range or a day: a range that goes back or is written with another sign, and a
  /// day that no calendar has. Nil if it is another text.
  package static func advice(onMistyped text: String) -> String? {
    for sign in ["...", "..", "–", "-"] {
      guard let mark = text.firstRange(of: sign), let first = UInt64(text[..<mark.lowerBound]),
        let last = UInt64(text[mark.upperBound...])
      else { continue }
      if Moment.advice(onDay: text) != nil || Moment(text) != nil { break }
      let range = "\(max(min(first, last), 1))..\(max(first, last))"
      if first == 0, last > 0 { return "the first event is 1: write \(range)" }
      if first > last { return "\(text) goes back; write \(range)" }
      return sign == ".." ? nil : "a range of events is written \(range)"
    }
    return Moment.advice(onDay: text)
  }

  /// Reads one moment for what happened in it: `head` for the last batch, an operation, a day, and `-7d` for
  /// everything since. Any other text gives nil.
  package init?(whole text: String) {
    guard let moment = Moment(text) else { return nil }
    switch moment {
    case .head(let back): (from, to) = (.head(back: back + 1), moment)
    case .operation, .span: (from, to) = (moment, moment)
    case .time: (from, to) = (moment, .head(back: 0))
    case .start, .sequence, .live: return nil
    }
    self.text = text
  }

  /// The range of what an operation did.
  package init(of operation: OperationName) {
    (text, from, to) = ("\(operation)", .operation(operation), .operation(operation))
  }

  /// The time, the day or the month by which the range was named, without another end; nil if it was named otherwise.
  package var onlyTimes: ClosedRange<Timestamp>? {
    guard !text.contains("..") else { return nil }
    return switch from {
    case .time(let time): time...time
    case .span(let span): span.first...span.last
    case .start, .sequence, .head, .operation, .live: nil
    }
  }

  /// Finds the last event before the range.
  ///
  /// - Returns: 0 if the range begins with event 1.
  /// - Throws: as `Moment.found`.
  package func beginning(in log: CatalogLog, history: CatalogHistory? = nil) throws -> UInt64 {
    switch from {
    case .sequence(let sequence):
      return try OperationRange(showing: .events(sequence...sequence), in: log, history: history)
        .first - 1
    case .operation(let name):
      return try OperationRange(showing: name, in: log, history: history).first - 1
    case .span, .time:
      do {
        return try from.asBeginning.found(in: log, history: history).sequence ?? 0
      } catch let error as CatalogError where error.code == .noMoment {
        // Before the first batch nothing has happened.
        return 0
      }
    case .head(let back) where back > 0 && to == .head(back: back - 1):
      // An error names the batch, and not the state before it.
      let last = try to.found(in: log, history: history).sequence ?? 0
      guard last > 0 else {
        throw CatalogError(
          .noMoment,
          "the log has \(CountWords.of(Int(clamping: back - 1), "batch")), too few for \(text)")
      }
      return try log.batch(containing: last).firstSequence - 1
    case .start, .head, .live: return try from.found(in: log, history: history).sequence ?? 0
    }
  }

  /// The last event before and at the end of the range, if it has no event; nil if it has some.
  ///
  /// - Throws: as `Moment.found`.
  package func end(ifEmptyIn log: CatalogLog) throws -> UInt64? {
    let last = try to.found(in: log).sequence ?? log.head()?.sequence ?? 0
    return try beginning(in: log) < last ? nil : last
  }

  /// Finds the events of the range: whole batches.
  ///
  /// - Throws: as `Moment.found`; `CatalogError` with `noMoment` if the range has no event.
  package func events(
    in log: CatalogLog, history: CatalogHistory? = nil
  ) throws -> ClosedRange<UInt64> {
    let before = try beginning(in: log, history: history)
    let last = try to.found(in: log, history: history).sequence ?? log.head()?.sequence ?? 0
    guard before < last else {
      throw CatalogError(
        .noMoment,
        "\(text) has no event: it would begin after event \(before), and end after event \(last)")
    }
    return before + 1...last
  }
}

extension MomentRange {
  /// The range from a moment, as `--since` names it, to the end of the log.
  package init(since moment: Moment) {
    (text, from, to) = ("\(moment)", moment, .head(back: 0))
  }
}
