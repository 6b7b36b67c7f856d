import Support

/// Copies a log from one store to another, batch by batch.
///
/// Sequences, chain hashes and heads stay the same, since they are of the plain bytes. The next copy goes on after one that was
/// interrupted.
package struct LogCopy: Sendable {
  package let logID: LogID
  /// The end of the copy before and after.
  package let before: LogHead
  package let after: LogHead
  package let batches: Int

  /// - Parameters:
  ///   - acceptsLoss: whether to copy also to a server that may lose what it acknowledges.
  ///   - progress: called after each batch with the event that was copied last.
  /// - Throws: `lostEvents` if the target holds events that the source does not have: nothing is copied then.
  package init(
    from source: any LogStore, to target: any LogStore, acceptsLoss: Bool = false,
    progress: (_ reached: UInt64, _ last: UInt64) -> Void = { _, _ in }
  ) throws {
    guard let end = try source.end() else { throw EventLogError.noLog(source.place) }
    logID = end.logID
    let known = try target.end()
    if let known {
      guard known.logID == end.logID else {
        throw EventLogError(
          .lostEvents,
          "\(target.place) is log \(known.logID), and \(source.place) is log \(end.logID); name another target",
          file: target.place)
      }
      if known.head.sequence > end.head.sequence {
        guard try target.compare(at: end.head) == .same else {
          throw Self.fork(source, target, end.head.sequence)
        }
        (before, after, batches) = (known.head, known.head, 0)
        return
      }
      guard try source.compare(at: known.head) == .same else {
        throw Self.fork(source, target, known.head.sequence)
      }
    }
    let writer = try target.writing(
      WriterOpening(logID: end.logID, holder: "copy", acceptsLoss: acceptsLoss))
    defer { writer.close() }
    before = writer.head
    let cursor = try source.reading(
      after: writer.head.sequence == 0 ? nil : writer.head, readsAhead: true)
    var count = 0
    while let batch = try cursor.nextBatch() {
      var copy = try writer.makeBatch(expecting: batch.previousHead)
      while let lines = try cursor.nextLines() { try copy.append(lines: lines.bytes) }
      let outcome = try writer.append(copy)
      guard outcome.head == batch.head else {
        throw EventLogError(
          .lostEvents,
          "\(target.place) has another chain hash at event \(batch.lastSequence) than \(source.place); keep both, and compare "
            + "them", file: target.place, sequence: batch.lastSequence)
      }
      writer.beginSealing()
      count += 1
      progress(batch.lastSequence, end.head.sequence)
    }
    writer.finishSealing()
    if let failure = writer.sealingFailure { throw failure }
    (after, batches) = (writer.head, count)
  }

  private static func fork(
    _ source: any LogStore, _ target: any LogStore, _ sequence: UInt64
  ) -> EventLogError {
    EventLogError(
      .lostEvents,
      "\(target.place) has other events up to \(sequence) than \(source.place): one of them lost events, or both were written "
        + "to; nothing was copied. \(do: .findFork) finds the first difference",
      file: target.place)
  }
}
