import Support

/// Whether the names of a log's segments follow each other: the same verdict for readers and writers.
///
/// The folder is listed once for all segments that are there already, and again when the listing is used up.
struct SegmentOrder {
  let folder: LogFolder
  let limits: LogLimits
  /// First sequences of the segments when the folder was listed last, ascending.
  private var listing: [UInt64] = []

  init(folder: LogFolder, limits: LogLimits) {
    self.folder = folder
    self.limits = limits
  }

  /// The first event of the segment that follows; nil if there is none yet.
  ///
  /// - Parameters:
  ///   - segment: the first event of the segment that was read; nil at the beginning of the log.
  ///   - due: the event behind its last one.
  ///   - logID: the log's id, if it is known.
  ///   - passesStrays: leaves out files that are one too many.
  /// - Throws: damage if the segment that is due is missing, or the file after the one that was read is one too many,
  ///   has another segment's name, or events of another log.
  mutating func segment(
    after segment: UInt64?, due: UInt64, of logID: LogID?, passesStrays: Bool = false
  ) throws -> UInt64? {
    let segment = passesStrays ? due - 1 : segment
    if next(after: segment ?? 0) == due { return due }
    func listed() throws -> UInt64? {
      listing = try folder.segments() ?? []
      return self.next(after: segment ?? 0)
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
        folder.path(of: next), 0, next)
    }
    if !passesStrays, let stray = try stray(next, of: logID) { throw stray }
    throw EventLogError.damaged(
      .segments, "the segment that begins with event \(due) is missing",
      folder.path(of: due), 0, due)
  }

  /// Whether another segment follows this one, which is closed then.
  mutating func isFollowed(_ segment: UInt64) throws -> Bool {
    if let last = listing.last, last > segment { return true }
    listing = try folder.segments() ?? []
    return listing.last.map { $0 > segment } ?? false
  }

  /// The segment that follows in the last listing.
  private func next(after segment: UInt64) -> UInt64? {
    let place = BinarySearch.first(of: listing.count) { listing[$0] > segment }
    return place < listing.count ? listing[place] : nil
  }

  /// What tells of a segment that it has no place under its name; nil if its beginning fits the name, or cannot
  /// be read.
  func stray(_ segment: UInt64, of logID: LogID?) throws -> EventLogError? {
    guard let place = try BatchFinder(folder, limits: limits).beginning(of: segment, of: nil)
    else { return nil }
    let path = folder.path(of: segment)
    let first = place.head.sequence + 1
    if first != segment { return .misnamed(path, first: first) }
    guard let logID, place.logID != logID else { return nil }
    return .damaged(.logID, "the segment belongs to another log", path, 0, segment)
  }
}
