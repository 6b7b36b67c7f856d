/// Decides, after an attempt that failed, whether there is another, and after what pause.
package struct RetryBudget {
  private let policy: DownloadPolicy
  private var fruitless = 0
  private var startOvers: [AttemptFailure.StartOver.Cause: Int] = [:]
  private var hasRepeatedClosed = false
  private var hasRepeatedRedirect = false

  package init(_ policy: DownloadPolicy) {
    self.policy = policy
  }

  /// Counts the attempt.
  ///
  /// - Parameter progress: bytes that it brought.
  /// - Returns: the pause before the next one.
  /// - Throws: `DownloadFailure` if there is none.
  package mutating func pause(
    after failure: AttemptFailure, progress: Int64
  ) throws(DownloadFailure) -> Duration {
    if progress >= policy.progressBytes {
      fruitless = 0
      hasRepeatedClosed = false
    }
    switch failure {
    case .failed(let failure): throw failure
    case .closedBeforeHead(let reason):
      if !hasRepeatedClosed {
        hasRepeatedClosed = true
        return .zero
      }
      return try next(reason, asked: nil)
    case .again(let reason):
      return try next(reason, asked: nil)
    case .busy(let reason, let asked):
      guard asked <= policy.longestRetryAfter else {
        throw DownloadFailure(
          .busy, "\(reason), and asks to wait for \(asked.components.seconds) s",
          isResumable: true)
      }
      return try next(reason, asked: asked)
    case .redirectRefused(let reason):
      guard !hasRepeatedRedirect else {
        throw DownloadFailure(.refused, reason, isResumable: false)
      }
      hasRepeatedRedirect = true
      return .zero
    case .startOver(let startOver):
      try count(startOver)
      return .zero
    }
  }

  /// Counts that what is there is thrown away.
  ///
  /// - Throws: `DownloadFailure` if that was done too often.
  package mutating func count(_ startOver: AttemptFailure.StartOver) throws(DownloadFailure) {
    let count = startOvers[startOver.cause, default: 0] + 1
    startOvers[startOver.cause] = count
    guard startOvers.values.reduce(0, +) <= policy.startOvers,
      count <= startOver.cause.limit ?? policy.startOvers
    else {
      throw DownloadFailure(
        startOver.cause == .wrongHash ? .wrongHash : .unexpectedContent, startOver.reason,
        isResumable: false)
    }
  }

  private mutating func next(
    _ reason: String, asked: Duration?
  ) throws(DownloadFailure) -> Duration {
    fruitless += 1
    guard fruitless < policy.attempts else {
      throw DownloadFailure(
        .network, "\(reason), \(fruitless) times without progress", isResumable: true)
    }
    if let asked { return asked }
    // Full jitter: clients that were cut off together do not come back together.
    var limit = policy.pauses.first
    var doublings = fruitless - 1
    while doublings > 0, limit > .zero, limit < policy.pauses.longest {
      limit *= 2
      doublings -= 1
    }
    return min(limit, policy.pauses.longest) * Double.random(in: 0...1)
  }
}
