import Support

extension EventLogError {
  /// The log lacks a head that was acknowledged.
  package static func lostEvents(
    _ end: LogHead?, _ known: LogHead, _ place: String
  ) -> EventLogError {
    let last = end?.sequence ?? 0
    guard last >= known.sequence else { return ends(at: last, before: known, place) }
    return EventLogError(
      .lostEvents,
      "the log in \(place) has other events up to \(known.sequence) than were acknowledged: it lost events and others continued an "
        + "earlier state of it, or another log is in its place; restore it from a copy, or keep what others appended",
      file: place, sequence: known.sequence)
  }

  /// The log ends before a head that was acknowledged.
  static func ends(at end: UInt64, before known: LogHead, _ place: String) -> EventLogError {
    EventLogError(
      .lostEvents,
      "the log in \(place) ends at event \(end), but event \(known.sequence) was acknowledged: it lost events, or others continued "
        + "an earlier state of it; restore it from a copy",
      file: place, sequence: known.sequence)
  }

  static func anotherLog(_ place: String) -> EventLogError {
    EventLogError(
      .lostEvents,
      "the log in \(place) is a different log than expected; check the path of the catalog",
      file: place)
  }

  /// A writer was asked for more after it was closed.
  package static func closed(_ place: String) -> EventLogError {
    EventLogError(
      .poisoned, "this writer of \(place) was closed; reopen the log", file: place)
  }

  package static func headMoved(
    from expected: LogHead, to head: LogHead, _ place: String
  ) -> EventLogError {
    EventLogError(
      .headMoved,
      expected.sequence == head.sequence
        ? "the log in \(place) has different events up to \(head.sequence) than expected; read it again and retry"
        : "the log in \(place) is at event \(head.sequence), not at \(expected.sequence) as expected: another writer has "
          + "appended; read it again and retry",
      file: place, sequence: head.sequence)
  }

  package static func noLog(_ place: String) -> EventLogError {
    EventLogError(
      .io, "there is no event log in \(place); name the catalog\(do: .nameCatalog)", file: place)
  }

  package static func noEvent(_ sequence: UInt64) -> EventLogError {
    EventLogError(.lostEvents, "there is no event \(sequence)", sequence: sequence)
  }

  package static func tooLarge(
    _ batch: StoredBatch, _ limit: Int, _ place: String
  ) -> EventLogError {
    let count = batch.info.eventCount
    return EventLogError(
      .tooLarge,
      "the change has \(count == 1 ? "1 event" : "\(count) events") of \(batch.bytes.count) stored bytes, and \(place) takes \(limit) at "
        + "most; make it in parts", file: place, sequence: batch.info.firstSequence)
  }
}
