import Dispatch
import Support

/// Runs work that blocks on files away from the threads of Swift's concurrency, which must not block.
public enum Blocking {
  private static let queue = DispatchQueue(
    label: "catalog.blocking", qos: .userInitiated, attributes: .concurrent)

  /// Runs the work on a thread that may block, and waits for it without blocking the caller's.
  ///
  /// ```swift
  /// let bytes = try await Blocking.run { try DocumentFile.load(path) }
  /// ```
  /// - Throws: what the work throws. Cancelling the task does not end the work.
  public static func run<Result: Sendable>(
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
