/// A folder of this machine. An acknowledged batch survives a loss of power.
extension EventLogReader: LogStore {
  package var place: String { path }
  package var largestBatch: Int? { nil }
  package var keepsOthersOut: Bool { true }
  package func place(of batch: BatchInfo) -> String { "\(batch.segment), offset \(batch.offset)" }
  package func durability() -> LogDurability { .machine }

  package func reading(after head: LogHead?, readsAhead: Bool) throws -> any BatchCursor {
    try cursor(after: head, decodesAhead: readsAhead)
  }

  package func writing(_ opening: WriterOpening) throws -> any LogWriter {
    try openWriter(opening)
  }
}

extension LogCursor: BatchCursor {}
extension EventLogWriter: LogWriter {}

/// Keeps other writers of this machine out, if what they write is not a folder's log.
package final class FolderLock {
  private let lock: WriterLock

  /// - Parameters:
  ///   - directory: gets a file `LOCK`.
  ///   - wait: how long to wait for another holder; nil fails at once.
  /// - Throws: `locked`.
  package init(
    directory: String, holder: String, wait: Duration? = nil, willWait: () -> Void = {}
  ) throws {
    lock = try WriterLock(
      LogFolder(path: directory, calls: RealFileCalls()), holder: holder, wait: wait,
      willWait: willWait)
  }
}
