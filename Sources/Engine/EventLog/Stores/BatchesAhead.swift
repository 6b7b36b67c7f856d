import Support

/// Fetches the batches of a source on a thread of its own, ahead of the one that reads them, up to the end of the log.
package final class BatchesAhead: StoredBatchSource {
  /// The thread has it until it ends.
  private struct BorrowedSource: @unchecked Sendable {
    let source: any StoredBatchSource
  }

  private let source: any StoredBatchSource
  /// No batches are the end of the log, or a failure of the thread.
  private let fetched = BoundedQueue<[StoredBatch]>(capacity: 2)
  /// Nil if the thread has come to the end, or the system gave none.
  private var work: BackgroundWork<Void>?
  /// Those that are given next, in reverse.
  private var waiting: [StoredBatch] = []

  /// Stored bytes that are handed over at once, about.
  private static let handful = 1 << 20

  /// - Parameter head: after which the reading begins.
  package init(_ source: any StoredBatchSource, after head: LogHead?) {
    self.source = source
    let lent = BorrowedSource(source: source)
    work = try? BackgroundWork { [fetched] in
      var head = head
      var batches: [StoredBatch] = []
      var bytes = 0
      // Batches that were read before a failure come before it.
      defer {
        _ = batches.isEmpty || fetched.put(batches)
        _ = fetched.put([])
      }
      while let batch = try lent.source.next(after: head) {
        head = batch.info.head
        batches.append(batch)
        bytes += batch.bytes.count
        guard bytes >= Self.handful else { continue }
        guard fetched.put(batches) else { return }
        (batches, bytes) = ([], 0)
      }
    }
  }

  deinit {
    fetched.cancel()
    work?.wait()
  }

  package func next(after head: LogHead?) throws -> StoredBatch? {
    if let batch = waiting.popLast() { return batch }
    guard let work else { return try source.next(after: head) }
    guard let batches = fetched.take() else {
      preconditionFailure("only the end of this cancels")
    }
    guard batches.isEmpty else {
      waiting = batches.reversed()
      return waiting.popLast()
    }
    self.work = nil
    try work.value()
    return nil
  }
}
