package import CatalogModel
package import EventLog

/// A batch of a log with its time.
package struct TimedBatch: Hashable, Sendable {
  package let firstSequence: UInt64
  package let lastSequence: UInt64
  /// The latest time of its events; every command of this release gives all of them one time.
  package let time: Timestamp

  /// Calls `body` for each batch of a log, in the log's order.
  ///
  /// - Parameter head: batches up to this one are left out.
  static func forEach(
    in log: any LogStore, after head: LogHead? = nil, until limit: TimeLimit? = nil,
    _ body: (TimedBatch) throws -> Void
  ) throws {
    let cursor = try log.cursor(after: head)
    var decoder = EnvelopeDecoder()
    while let batch = try cursor.nextBatch() {
      try limit?.check()
      if let timed = try TimedBatch(batch, cursor, &decoder) { try body(timed) }
    }
  }

  /// The batch at the end of a log; nil if the log is empty or missing.
  package static func last(in log: any LogStore) throws -> TimedBatch? {
    guard let head = try log.head(), head.sequence > 0 else { return nil }
    return try containing(head.sequence, in: log)
  }

  /// The batch that has an event of a log.
  package static func containing(_ sequence: UInt64, in log: any LogStore) throws -> TimedBatch? {
    let batch = try log.batch(containing: sequence)
    let cursor = try log.cursor(after: batch.start)
    var decoder = EnvelopeDecoder()
    return try cursor.nextBatch().flatMap { try TimedBatch($0, cursor, &decoder) }
  }

  /// The events that it has, for a person.
  package var events: String {
    firstSequence == lastSequence
      ? "event \(firstSequence)" : "events \(firstSequence) to \(lastSequence)"
  }
}

extension TimedBatch {
  /// - Parameter cursor: at the beginning of the batch's lines, which are read.
  private init?(
    _ batch: BatchInfo, _ cursor: any BatchCursor, _ decoder: inout EnvelopeDecoder
  ) throws {
    var latest: Timestamp?
    try cursor.forEachLine { line, sequence in
      let at = try decoder.decode(line: line, expecting: sequence).at
      latest = max(latest ?? at, at)
    }
    guard let latest else { return nil }
    (firstSequence, lastSequence, time) = (batch.firstSequence, batch.lastSequence, latest)
  }
}

/// Two batches, one directly after the other in the log, the second of which has an earlier time.
///
/// Order is by sequence, and times are data: `import --at` sets them, and clocks are set back.
package struct TimeReversal: Hashable, Sendable {
  package let before: TimedBatch
  package let after: TimedBatch

  /// All of a log, in its order.
  package static func all(in log: any LogStore) throws -> [TimeReversal] {
    var found: [TimeReversal] = []
    var previous: TimedBatch?
    try TimedBatch.forEach(in: log) { batch in
      if let previous, previous.time > batch.time {
        found.append(TimeReversal(before: previous, after: batch))
      }
      previous = batch
    }
    return found
  }

  package var words: String {
    "\(before.events) of \(before.time) are before \(after.events) of \(after.time)"
  }
}
