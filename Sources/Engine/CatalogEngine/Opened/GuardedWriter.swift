import EventLog

/// A writer of a log that several machines share. It keeps other programs of this machine out while it is open: they would
/// change the same database.
final class GuardedWriter: LogWriter {
  private let writer: any LogWriter
  private var lock: WriterLock?

  init(_ writer: any LogWriter, _ lock: WriterLock) {
    self.writer = writer
    self.lock = lock
  }

  var logID: LogID { writer.logID }
  var head: LogHead { writer.head }
  var latest: StoredBatch? { writer.latest }

  func makeBatch(expecting expected: LogHead) throws -> LogBatchBuilder {
    try writer.makeBatch(expecting: expected)
  }

  func append(_ batch: consuming LogBatchBuilder) throws -> AppendOutcome {
    try writer.append(batch)
  }

  func confirm() throws { try writer.confirm() }

  func close() {
    writer.close()
    lock = nil
  }
}
