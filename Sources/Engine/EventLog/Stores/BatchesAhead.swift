import Support

/// Fetches the batches of a source on a thread of its own, ahead of the one that reads them, up to the end of the log.
package final class BatchesAhead: StoredBatchSource {
  private enum Fetched: Sendable {
    case batches([StoredBatch])
    /// Nothing more; nil if that is the end of the log.
    case end((any Error)?)
  }

  /// The thread has it until it ends.
  private struct Lent: @unchecked Sendable {
    let source: any StoredBatchSource
  }

  private let source: any StoredBatchSource
  private let fetched = BoundedQueue<Fetched>(capacity: 2)
  /// Nil if the thread has come to the end, or the system gave none.
  private var work: BackgroundWork<Void>?
  /// Those that are given next, in reverse.
  private var waiting: [StoredBatch] = []

  /// Stored bytes that are handed over at once, about.
  private static let handful = 1 << 20

  /// - Parameter head: after which the reading begins.
  package init(_ source: any StoredBatchSource, after head: LogHead?) {
    self.source = source
    let lent = Lent(source: source)
    work = try? BackgroundWork { [fetched] in
      var head = head
      var batches: [StoredBatch] = []
      var bytes = 0
      var failure: (any Error)?
      do {
        while let batch = try lent.source.next(after: head) {
          head = batch.info.head
          batches.append(batch)
          bytes += batch.bytes.count
          guard bytes >= Self.handful else { continue }
          guard fetched.put(.batches(batches)) else { return }
          (batches, bytes) = ([], 0)
        }
      } catch {
        failure = error
      }
      guard batches.isEmpty || fetched.put(.batches(batches)) else { return }
      _ = fetched.put(.end(failure))
    }
  }

  deinit {
    fetched.cancel()
    work?.wait()
  }

  package func next(after head: LogHead?) throws -> StoredBatch? {
    if let batch = waiting.popLast() { return batch }
    guard let work else { return try source.next(after: head) }
    switch fetched.take() {
    case .batches(let batches):
      waiting = batches.reversed()
      return waiting.popLast()
    case .end(let failure):
      work.wait()
      self.work = nil
      if let failure { throw failure }
      return nil
    case nil: preconditionFailure("only the end of this cancels")
    }
  }
}
