import Synchronization

/// A body came too slowly.
package struct TransferStalled: Error {}

/// Counts what comes, for a watch that looks at it now and then.
package final class StallWatch: Sendable {
  private let bytes = Atomic<Int>(0)

  package func add(_ count: Int) {
    bytes.add(count, ordering: .relaxed)
  }

  fileprivate func take() -> Int {
    bytes.exchange(0, ordering: .relaxed)
  }
}

/// Cancels the work, and throws `TransferStalled`, where less comes than the policy asks for.
package func withStallWatch<Result: Sendable>(
  _ policy: DownloadPolicy, _ work: @escaping @Sendable (StallWatch) async throws -> Result
) async throws -> Result {
  let watch = StallWatch()
  let enough = Double(policy.stallRate) * (policy.stallWindow / .seconds(1))
  return try await withThrowingTaskGroup(of: Result.self) { group in
    group.addTask { try await work(watch) }
    group.addTask {
      while true {
        try await Task.sleep(for: policy.stallWindow)
        guard Double(watch.take()) >= enough else { throw TransferStalled() }
      }
    }
    defer { group.cancelAll() }
    guard let result = try await group.next() else { throw CancellationError() }
    return result
  }
}
