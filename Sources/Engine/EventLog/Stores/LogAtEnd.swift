import Synchronization

/// A log whose end is asked for once: each question costs a round trip to a server.
///
/// The end is that of a moment in the past. A caller that knows a later head gets the end of now.
package final class LogAtEnd: LogStore {
  private let store: any LogStore
  private let known: Mutex<(logID: LogID, head: LogHead)?>

  /// - Parameter end: of the log, if it is known; nil asks for it when it is needed.
  package init(_ store: any LogStore, _ end: (logID: LogID, head: LogHead)? = nil) {
    self.store = store
    known = Mutex(end)
  }

  package func end(applied: () throws -> LogHead?) throws -> (logID: LogID, head: LogHead)? {
    let known = known.withLock(\.self)
    if let known, try applied()?.sequence ?? 0 <= known.head.sequence { return known }
    let end = try store.end(applied: applied)
    self.known.withLock { $0 = end }
    return end
  }

  package func exists() throws -> Bool { try end() != nil }

  package var place: String { store.place }
  package var largestBatch: Int? { store.largestBatch }
  package var keepsOthersOut: Bool { store.keepsOthersOut }
  package var upToDate: any LogStore { store.upToDate }

  package func allowSilence(of duration: Duration) { store.allowSilence(of: duration) }

  package func durability() throws -> LogDurability { try store.durability() }

  package func reading(after head: LogHead?, readsAhead: Bool) throws -> any BatchCursor {
    try store.reading(after: head, readsAhead: readsAhead)
  }

  package func batch(containing sequence: UInt64) throws -> BatchInfo {
    try store.batch(containing: sequence)
  }

  package func place(of batch: BatchInfo) -> String { store.place(of: batch) }

  package func writing(_ opening: WriterOpening) throws -> any LogWriter {
    try store.writing(opening)
  }
}

extension LogStore {
  /// The log as it is read from now on, with one question for its end if others may append to it at any time.
  ///
  /// - Parameter writer: whose head is the end; nil asks for it.
  package func atEnd(of writer: (any LogWriter)? = nil) -> any LogStore {
    guard !keepsOthersOut else { return self }
    guard let writer, writer.head.sequence > 0 else { return LogAtEnd(self) }
    return LogAtEnd(self, (writer.logID, writer.head))
  }
}
