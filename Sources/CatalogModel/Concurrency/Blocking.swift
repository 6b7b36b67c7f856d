import Dispatch

/// Runs work that blocks on files away from the threads of Swift's concurrency, which must not block.
package enum Blocking {
  private static let queue = DispatchQueue(
    label: "catalog.blocking", qos: .userInitiated, attributes: .concurrent)

  package static func run<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      queue.async {
        continuation.resume(with: Swift.Result { try work() })
      }
    }
  }
}
