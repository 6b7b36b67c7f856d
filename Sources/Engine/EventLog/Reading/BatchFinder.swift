/// Where a batch begins, and the head of the log before it as its header tells.
struct BatchPlace: Hashable {
  /// First sequence in the segment's name.
  let segment: UInt64
  /// Of the batch's header in an open segment; of its first frame in a sealed one.
  let offset: UInt64
  let head: LogHead
  let logID: LogID
}

/// Finds batches again behind damage: in an open segment by the magic and the CRC of their headers, in
/// a sealed one by its frame table.
struct BatchFinder {
  private let folder: LogFolder
  private let limits: LogLimits

  init(_ folder: LogFolder, limits: LogLimits) {
    self.folder = folder
    self.limits = limits
  }

  /// The first batch of a segment that begins at an offset or after it, by an intact header; nil if there is none.
  ///
  /// - Parameters:
  ///   - logID: batches of other logs are left out; nil takes any.
  ///   - isThere: looks at the offset alone. A sealed segment has one header, whatever the offset.
  /// - Returns: its place, and the last sequence that its header reports, which is the segment's if that is sealed.
  func find(
    in segment: UInt64, from offset: UInt64, of logID: LogID?, isThere: Bool = false
  ) throws -> (place: BatchPlace, lastSequence: UInt64)? {
    func place(_ offset: UInt64, _ head: LogHead, _ logID: LogID) -> BatchPlace {
      BatchPlace(segment: segment, offset: offset, head: head, logID: logID)
    }
    let file = try folder.open(segment: segment)
    if try SealHeader.begins(file) {
      guard let header = try SealHeader.readable(file, limits: limits),
        logID == nil || header.logID == logID,
        let first = header.boundary(from: isThere ? 0 : offset)
      else { return nil }
      return (place(first.offset, first.head, header.logID), header.lastSequence)
    }
    let end = isThere ? offset + UInt64(BatchHeader.fixedLength) : .max
    let size = try file.size()
    guard offset < size else { return nil }
    return try file.findHeader(in: offset..<min(size, end)) { fixed, offset in
      guard let header = try? BatchHeader(fixed: fixed, limits: limits),
        logID == nil || header.logID == logID
      else { return nil }
      return (place(offset, header.previousHead, header.logID), header.lastSequence)
    }
  }

  /// The first batch of a segment, by an intact header at its beginning; nil if there is none.
  func beginning(of segment: UInt64, of logID: LogID?) throws -> BatchPlace? {
    try find(in: segment, from: 0, of: logID, isThere: true)?.place
  }
}

extension LogFile {
  /// The first place in a range that has the magic of a header and of which `body` makes a value.
  ///
  /// - Parameter body: takes the bytes from the magic on, as many as the fixed part of a sealed segment's header has,
  ///   or fewer at the end of the range; and their offset. Four bytes may look like the magic.
  func findHeader<Found>(
    in range: Range<UInt64>, _ body: (_ fixed: [UInt8], _ offset: UInt64) -> Found?
  ) throws -> Found? {
    var found: Found?
    _ = try scan(range, overlap: SealHeader.fixedLength) { bytes, place, isLast in
      let end = bytes.count - (isLast ? BatchHeader.fixedLength - 1 : SealHeader.fixedLength)
      for index in 0..<max(0, end) where bytes[index] == 0x51 || bytes[index] == 0x52 {
        let magic = bytes.number(UInt32.self, at: index)
        guard magic == BatchHeader.magic || magic == SealHeader.magic else { continue }
        let fixed = Array(bytes[index..<min(bytes.count, index + SealHeader.fixedLength)])
        found = body(fixed, place + UInt64(index))
        if found != nil { return false }
      }
      return true
    }
    return found
  }
}
