extension EventLogReader {
  /// Finds the events of a damaged log that are provably good; the log is not changed.
  ///
  /// - Parameter known: a head that was acknowledged, which the log should hold.
  package func salvage(
    known: LogHead? = nil, progress: (CheckProgress) -> Void = { _ in }
  ) throws -> LogSalvage {
    try LogSalvage(folder, limits: limits, known: known, progress: progress)
  }
}
