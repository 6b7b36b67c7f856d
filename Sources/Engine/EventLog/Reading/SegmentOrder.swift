/// Whether the names of a log's segments follow each other: the same verdict for readers and writers.
struct SegmentOrder {
  let folder: LogFolder
  let limits: LogLimits

  /// The first event of the segment that follows; nil where there is none yet.
  ///
  /// - Parameters:
  ///   - segment: the first event of the segment that was read; nil at the beginning of the log.
  ///   - due: the event behind its last one.
  ///   - logID: the log's id, where it is known.
  /// - Throws: damage where the file behind it is one too many, has another's name, or another log's events, and
  ///   where the segment that is due is missing.
  func segment(after segment: UInt64?, due: UInt64, of logID: LogID?) throws -> UInt64? {
    func listed() throws -> UInt64? {
      try folder.segments()?.first { $0 > segment ?? 0 }
    }
    // A listing is no snapshot: on some file systems it can miss a name that is being replaced.
    guard var next = try listed() else { return nil }
    if next != due { next = try listed() ?? next }
    if next == due { return due }
    guard next > due else {
      throw EventLogError.damaged(
        .segments,
        "the segment before this file already has the events up to \(due - 1): this file is a stray copy, or a segment "
          + "of another log; move it out of the folder",
        folder.path(LogFolder.name(next)), 0, next)
    }
    if let stray = try stray(next, of: logID) { throw stray }
    throw EventLogError.damaged(
      .segments, "the segment that begins with event \(due) is missing",
      folder.path(LogFolder.name(due)), 0, due)
  }

  /// What tells of a segment that it has no place under its name; nil where its beginning fits the name, or cannot
  /// be read.
  func stray(_ segment: UInt64, of logID: LogID?) throws -> EventLogError? {
    let file = try folder.open(segment: segment)
    let finder = BatchFinder(folder, limits: limits)
    guard let found = try finder.firstSequence(in: segment, of: nil) else { return nil }
    if found != segment { return .misnamed(file.path, first: found) }
    guard let logID, try finder.firstSequence(in: segment, of: logID) == nil else { return nil }
    return .damaged(.logID, "the segment belongs to another log", file.path, 0, segment)
  }
}
