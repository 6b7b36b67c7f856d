public import CatalogEngine

/// What was played lately: one row a show.
public struct RecentPlays: Sendable {
  let catalog: EventCatalog<ConcertArchiveKind>

  /// Counts a play of a show, where it was long enough (`MeaningfulPlay`).
  ///
  /// - Parameters:
  ///   - seconds: for how long somebody listened.
  ///   - total: how long the track is; nil if nobody knows.
  /// - Throws: `UnknownShow`, also for a play that was too short.
  @discardableResult
  public func play(_ show: String, seconds: Double, of total: Double?) async throws -> ChangeReport
  {
    let isMeaningful = MeaningfulPlay.isMeaningful(seconds: seconds, of: total)
    return try await catalog.change(by: "person") { rows in
      guard try rows.row(of: Show.table, key: show) != nil else { throw UnknownShow(show) }
      return isMeaningful ? [.showPlayed(show)] : []
    }
  }

  /// Hides shows that were last played before a moment. The plays stay in the log: a history that is to be erased
  /// needs a new log.
  @discardableResult
  public func clear(before time: Timestamp) async throws -> ChangeReport {
    try await catalog.change(by: "person") { rows in
      try rows.rows(of: RecentShow.table).contains {
        $0.lastPlayedTimestamp < time.milliseconds
      } ? [.recentCleared(.before(time))] : []
    }
  }

  /// Hides all shows.
  @discardableResult
  public func clear() async throws -> ChangeReport {
    // The last of them was played before the next millisecond.
    try await catalog.change(by: "person") { rows in
      let last = try rows.rows(of: RecentShow.table).map(\.lastPlayedTimestamp).max()
      return last.map { [.recentCleared(.before(Timestamp(milliseconds: $0 + 1)))] } ?? []
    }
  }

  /// Hides one show.
  @discardableResult
  public func clear(show: String) async throws -> ChangeReport {
    try await catalog.change(by: "person") { rows in
      try rows.row(of: RecentShow.table, key: show) == nil ? [] : [.recentCleared(.show(show))]
    }
  }
}

/// Which plays count.
public enum MeaningfulPlay {
  /// 30 seconds, or half of what was played.
  public static func isMeaningful(seconds: Double, of total: Double?) -> Bool {
    if seconds >= 30 { return true }
    guard let total, total > 0 else { return false }
    return seconds >= total / 2
  }
}
