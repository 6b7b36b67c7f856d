import Support

/// The time that a command may take, from the moment at which this is created. It may be stopped before.
package struct TimeLimit: Sendable {
  private let end: ContinuousClock.Instant
  let stop: WorkStop

  package init(_ duration: Duration, stop: WorkStop = WorkStop()) {
    end = ContinuousClock.now + duration
    self.stop = stop
  }

  /// Zero once the time is over.
  var remaining: Duration { max(.zero, end - ContinuousClock.now) }

  /// - Throws: `CatalogError` with `sqlRefused` once the time is over or the work is stopped.
  package func check() throws {
    try stop.check()
    guard ContinuousClock.now < end else { throw Self.exceeded }
  }

  static let exceeded = CatalogError(
    .sqlRefused, "the command took longer than \(do: .allowMoreTime) and was stopped")
}

extension CatalogError {
  /// Whether it says that a time limit is over.
  package var isOfTime: Bool { code == .sqlRefused && message == TimeLimit.exceeded.message }
}
