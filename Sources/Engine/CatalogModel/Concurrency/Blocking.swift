import Dispatch
import Support
import Synchronization

/// Runs work that blocks on files away from the threads of Swift's concurrency, which must not block.
public enum Blocking {
  private static let queue = DispatchQueue(
    label: "catalog.blocking", qos: .userInitiated, attributes: .concurrent)
  private static let label = "catalog.blocking.long"

  /// Runs the work on a thread that may block, and waits for it without blocking the caller's. Once this returns, the work is held
  /// by its caller alone: a database that it opened or was handed closes with the caller's last use of it.
  ///
  /// ```swift
  /// let bytes = try await Blocking.run { try DocumentFile.load(path) }
  /// ```
  /// - Parameter isLong: whether the work may keep a processor busy for seconds. It gets a thread of its own then: on Linux,
  ///   the threads that others share are as many as the processors.
  /// - Throws: what the work throws. Cancelling the task does not end the work.
  public static func run<Result: Sendable>(
    isLong: Bool = false, _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    // What goes wrong there is told of in the words of the program that asks.
    let words = RecoveryWords.current
    let queue = isLong ? DispatchQueue(label: label, qos: .userInitiated) : queue
    let held = HeldWork { try RecoveryWords.$current.withValue(words) { try work() } }
    return try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: held.run()) }
    }
  }
}

/// Work that is let go of once it is done. A queue does that some time after its block returned, when the caller may have ended
/// the process already.
final class HeldWork<Success: Sendable>: Sendable {
  private let work: Mutex<(@Sendable () throws -> Success)?>

  init(_ work: @escaping @Sendable () throws -> Success) {
    self.work = Mutex(work)
  }

  func run() -> Result<Success, any Error> {
    guard let work = work.withLock({ $0.take() }) else { preconditionFailure("work is done once") }
    return Result { try work() }
  }
}
