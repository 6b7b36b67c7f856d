package import CatalogModel
package import EventLog
import Recoveries

/// A point in the history of a catalog, as a person names it.
package enum Moment: Hashable, Sendable {
  /// The state behind the whole batch that holds this event.
  case sequence(UInt64)
  /// The longest history none of whose events is later.
  case time(Timestamp)
  /// The live database as it is, whatever the log says.
  case live

  /// Reads `3534`, `2026-01-31T12:00:00Z` or `live`; nil for anything else.
  package init?(_ text: String) {
    if text == "live" {
      self = .live
    } else if !text.isEmpty, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
      let sequence = UInt64(text)
    {
      self = .sequence(sequence)
    } else if let time = Timestamp(text) {
      self = .time(time)
    } else {
      return nil
    }
  }

  /// The last event of the history up to here; nil for `live`.
  ///
  /// - Throws: `CatalogError` with `noMoment` for a moment behind the head or before the first event.
  package func sequence(in log: EventLogReader) throws -> UInt64? {
    guard let head = try log.head(), head.sequence > 0 else {
      throw CatalogError(.noCatalog, "the log is empty")
    }
    switch self {
    case .live: return nil
    case .sequence(let sequence):
      guard sequence >= 1, sequence <= head.sequence else {
        throw CatalogError(
          .noMoment, "there is no event \(sequence); the log holds events 1 to \(head.sequence)")
      }
      return try log.batch(containing: sequence).lastSequence
    case .time(let time):
      var last: UInt64 = 0
      var first: Timestamp?
      let cursor = try log.cursor()
      var decoder = EnvelopeDecoder()
      var isLater = false
      while !isLater, let batch = try cursor.nextBatch() {
        while let block = try cursor.nextLines() {
          try EventLines.forEach(in: block.bytes, first: block.firstSequence) { line, sequence in
            let at = try decoder.decode(line: line, expecting: sequence).at
            first = first ?? at
            isLater = isLater || at > time
          }
        }
        if !isLater { last = batch.lastSequence }
      }
      guard last > 0 else {
        throw CatalogError(
          .noMoment,
          "the log does not go back to \(time): its first event is of \(first.map(\.description) ?? "?")"
        )
      }
      return last
    }
  }

  /// Which state is shown for this moment, where that is not the very one that was named; nil where it is, and for
  /// `live`.
  ///
  /// The log has whole batches, and so no state within one: a person who names event 5 of a batch of thousands is
  /// told which state is shown instead.
  ///
  /// - Parameter sequence: what `sequence(in:)` gave.
  package func words(showing sequence: UInt64?) -> String? {
    guard let sequence else { return nil }
    return switch self {
    case .live, .sequence(sequence): nil
    case .sequence(let wanted):
      "as of event \(sequence), the end of the batch that holds event \(wanted)"
    case .time(let time): "as of event \(sequence), the end of the last batch not after \(time)"
    }
  }
}
