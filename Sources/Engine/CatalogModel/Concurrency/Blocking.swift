import Dispatch
import Recoveries

/// Runs work that blocks on files away from the threads of Swift's concurrency, which must not block.
package enum Blocking {
  private static let queue = DispatchQueue(
    label: "catalog.blocking", qos: .userInitiated, attributes: .concurrent)

  package static func run<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    // What goes wrong there is told of in the words of the program that asks.
    let words = RecoveryWords.current
    return try await withCheckedThrowingContinuation { continuation in
      queue.async {
        continuation.resume(
          with: Swift.Result { try RecoveryWords.$current.withValue(words) { try work() } })
      }
    }
  }
}
