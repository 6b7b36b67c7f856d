/// The work took longer than it may.
struct TimeLimitExceeded: Error {}

/// Cancels the work, and throws `TimeLimitExceeded`, where it takes longer than it may.
func withTimeLimit<Result: Sendable>(
  _ limit: Duration, _ work: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  try await withThrowingTaskGroup(of: Result.self) { group in
    group.addTask(operation: work)
    group.addTask {
      try await Task.sleep(for: limit)
      throw TimeLimitExceeded()
    }
    defer { group.cancelAll() }
    guard let result = try await group.next() else { throw CancellationError() }
    return result
  }
}
