package import CatalogEngine
package import CatalogModel
package import EventLog

/// The newest events of a log that are wanted, the newest first.
package struct EventSearch {
  package private(set) var events: [(event: EventEnvelope, json: String)] = []
  /// Whether the log has no more of them.
  package private(set) var isWhole = true

  /// The fewest events that are looked at together.
  private static let smallest = 100

  /// Looks at the batches from the end of the log, further and further back.
  ///
  /// - Parameters:
  ///   - first: events up to this one are left out.
  ///   - last: the last event that is looked at.
  ///   - limit: the most events that are found; nil if all are wanted.
  ///   - time: when the search stops; nil if never.
  ///   - isWanted: nil if all events are, so that those before the newest need not be decoded.
  /// - Throws: `CatalogError` with `sqlRefused` once the time is over.
  package init(
    _ log: any LogStore, after first: UInt64 = 0, newestFrom last: UInt64, limit: Int?,
    until time: TimeLimit? = nil, _ isWanted: ((EventEnvelope, String) throws -> Bool)?
  ) throws {
    var end = last
    var window = limit.map { UInt64(max($0, Self.smallest)) } ?? .max
    while end > first, events.count < limit ?? .max {
      // A batch is read as a whole, so it is searched as a whole.
      let wanted = max(first + 1, end > window ? end - window + 1 : 1)
      let start = try log.batch(containing: wanted).firstSequence
      let room = (limit ?? .max) - events.count
      // If nothing filters the events, only the newest are found: the others of a batch of a million need not be decoded.
      let least = isWanted == nil ? max(first, end - min(end, UInt64(room))) : first
      var part: [(event: EventEnvelope, json: String)] = []
      var count = 0
      let cursor = try log.cursor(after: log.start(before: start))
      var decoder = EnvelopeDecoder()
      while let batch = try cursor.nextBatch() {
        try time?.check()
        while let block = try cursor.nextLines() {
          guard block.firstSequence + UInt64(block.lineCount) > least + 1 else { continue }
          try EventLines.forEach(in: block.bytes, first: block.firstSequence) { line, sequence in
            guard sequence > least, sequence <= end else { return }
            let event = try decoder.decode(line: line, expecting: sequence)
            let json = String(decoding: line, as: UTF8.self)
            guard try isWanted?(event, json) ?? true else { return }
            count += 1
            part.append((event, json))
            if let limit, part.count / 2 > limit { part.removeFirst(part.count - limit) }
          }
        }
        if batch.lastSequence >= end { break }
      }
      if count > room || least > max(first, start - 1) { isWhole = false }
      events += part.reversed().prefix(room)
      end = start - 1
      window = window.multipliedReportingOverflow(by: 4).overflow ? .max : window * 4
    }
    if end > first { isWhole = false }
  }
}
