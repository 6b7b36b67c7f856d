extension ConcertArchive {
  /// Brings the tracks of the shows beside one into a cache: two before it and two after, the best recording of each.
  ///
  /// - Returns: the recordings that failed, with the reason.
  /// - Throws: `UnknownShow`.
  @discardableResult
  public func prefetch(
    around show: String, into cache: ArchiveCache
  ) async throws -> (recordings: [String], failures: [String: String]) {
    var recordings: [String] = []
    let neighbours =
      try await shows.previous(before: show, limit: 2) + shows.next(after: show, limit: 2)
    for neighbour in neighbours {
      let best = try await shows.show(neighbour.showID)?.bestRecordingID
      if let best {
        recordings.append(best)
      } else if let first = try await shows.recordings(of: neighbour.showID).first {
        recordings.append(first.identifier)
      }
    }
    return (recordings, await cache.prefetch(recordings))
  }
}
