/// Lets a number of tasks through at once; the others wait, first come first served.
actor AsyncLimiter {
  private typealias Waiter = CheckedContinuation<Void, any Error>

  private var free: Int
  private var waiting: [(number: Int, continuation: Waiter)] = []
  private var next = 0

  init(_ count: Int) {
    free = max(1, count)
  }

  /// - Throws: `CancellationError` if the task is cancelled while it waits.
  nonisolated func run<Result: Sendable>(
    _ work: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await enter()
    do {
      let result = try await work()
      await leave()
      return result
    } catch {
      await leave()
      throw error
    }
  }

  private func enter() async throws {
    try Task.checkCancellation()
    if free > 0 {
      free -= 1
      return
    }
    let number = next
    next += 1
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: Waiter) in
        if Task.isCancelled {
          continuation.resume(throwing: CancellationError())
        } else {
          waiting.append((number, continuation))
        }
      }
    } onCancel: {
      Task { await self.giveUp(number) }
    }
  }

  private func leave() {
    if waiting.isEmpty {
      free += 1
    } else {
      waiting.removeFirst().continuation.resume()
    }
  }

  private func giveUp(_ number: Int) {
    guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
    waiting.remove(at: index).continuation.resume(throwing: CancellationError())
  }
}
