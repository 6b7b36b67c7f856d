import Downloads

/// An attempt that failed and may be tried again, and what it is called where patience ends.
struct FailedAttempt: Error {
  let failure: AttemptFailure
  let code: AppleMusicError.Code
  let items: [AppleMusicError.Item]

  init(_ failure: AttemptFailure, code: AppleMusicError.Code, items: [AppleMusicError.Item] = []) {
    self.failure = failure
    self.code = code
    self.items = items
  }

  /// - Parameter end: what patience said at its end.
  func error(_ end: DownloadFailure) -> AppleMusicError {
    // What ended at once says itself what to do.
    if case .failed = failure { return AppleMusicError(code, end.message, errors: items) }
    let advice =
      switch code {
      case .rateLimited: "wait that long, or a few minutes, then try again"
      case .network: "check the connection, then try again"
      default: "try again later"
      }
    return AppleMusicError(code, "\(end.message); \(advice)", errors: items)
  }
}
