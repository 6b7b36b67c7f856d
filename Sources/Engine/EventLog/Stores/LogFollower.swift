/// New batches of a log as they are appended, by this process or another.
///
/// Looks for them at an interval; ends when its task is cancelled. Each element is a batch with its
/// lines, whole.
package struct LogFollower: AsyncSequence, Sendable {
  package struct Element: Sendable {
    package let batch: BatchInfo
    /// The events, without line feeds.
    package let lines: [[UInt8]]
  }

  let reader: any LogStore
  let head: LogHead?
  let interval: Duration

  package func makeAsyncIterator() -> Iterator {
    Iterator(follower: self)
  }

  package struct Iterator: AsyncIteratorProtocol {
    fileprivate let follower: LogFollower
    private var cursor: (any BatchCursor)?

    fileprivate init(follower: LogFollower) {
      self.follower = follower
    }

    package mutating func next() async throws -> Element? {
      while !Task.isCancelled {
        let cursor = try cursor ?? follower.reader.cursor(after: follower.head)
        self.cursor = cursor
        if let batch = try cursor.nextBatch() {
          var lines: [[UInt8]] = []
          while let block = try cursor.nextLines() {
            lines += block.bytes.split(separator: 0x0A).map(Array.init)
          }
          return Element(batch: batch, lines: lines)
        }
        do {
          try await Task.sleep(for: follower.interval)
        } catch is CancellationError {
          return nil
        }
      }
      return nil
    }
  }
}
