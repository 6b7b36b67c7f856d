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

  /// An intact header: the place of its batch, and the last sequence that it reports, which is the segment's if that
  /// is sealed.
  struct Found {
    let place: BatchPlace
    let lastSequence: UInt64
  }

  /// The first batch of a segment that begins at an offset or after it, by an intact header; nil if there is none.
  ///
  /// - Parameters:
  ///   - logID: batches of other logs are left out; nil takes any.
  ///   - isThere: looks at the offset alone. A sealed segment has one header, whatever the offset.
  func find(
    in segment: UInt64, from offset: UInt64, of logID: LogID?, isThere: Bool = false
  ) throws -> Found? {
    let file = try folder.open(segment: segment)
    if try SealHeader.begins(file) {
      guard let cursor = try sealed(file), logID == nil || cursor.header.logID == logID,
        let (head, offset) = cursor.skip(toOffset: isThere ? 0 : offset)
      else { return nil }
      return Found(
        place: BatchPlace(
          segment: segment, offset: offset, head: head, logID: cursor.header.logID),
        lastSequence: cursor.header.lastSequence)
    }
    return try OpenSegment(file: file, limits: limits)
      .intactHeader(from: offset, of: logID, isThere: isThere)
      .map { offset, header in
        Found(
          place: BatchPlace(
            segment: segment, offset: offset, head: header.previousHead, logID: header.logID),
          lastSequence: header.lastSequence)
      }
  }

  /// The first event of a segment, by an intact header at its beginning; nil if there is none.
  func firstSequence(in segment: UInt64, of logID: LogID?) throws -> UInt64? {
    try find(in: segment, from: 0, of: logID, isThere: true).map { $0.place.head.sequence + 1 }
  }

  /// Nil if the segment's header or tables cannot be read: then nothing of it can be placed.
  private func sealed(_ file: LogFile) throws -> SealedSegmentCursor? {
    do {
      return try SealedSegmentCursor(file, firstSequence: nil, limits: limits)
    } catch let error as EventLogError where error.isDamage {
      return nil
    }
  }
}

extension OpenSegment {
  /// The first intact header of a batch from an offset on.
  ///
  /// - Parameters:
  ///   - logID: headers of other logs are left out; nil takes any.
  ///   - isThere: looks at the offset alone.
  func intactHeader(
    from start: UInt64, of logID: LogID?, isThere: Bool = false
  ) throws -> (offset: UInt64, header: BatchHeader)? {
    let size = try file.size()
    let end = isThere ? min(size, start + UInt64(BatchHeader.fixedLength)) : size
    guard start < end else { return nil }
    var found: (UInt64, BatchHeader)?
    _ = try scan(start..<end, overlap: BatchHeader.fixedLength - 1) { bytes, place, _ in
      for index in bytes.indices.dropLast(BatchHeader.fixedLength - 1)
      where bytes[index] == UInt8(truncatingIfNeeded: BatchHeader.magic)
        && bytes.number(UInt32.self, at: index) == BatchHeader.magic
      {
        do throws(BatchHeader.Flaw) {
          let fixed = Array(bytes[index..<index + BatchHeader.fixedLength])
          let header = try BatchHeader(fixed: fixed, limits: limits)
          guard logID == nil || header.logID == logID else { continue }
          found = (place + UInt64(index), header)
          return false
        } catch {
          // Four bytes that look like the magic, or a header that is damaged too: look further.
        }
      }
      return true
    }
    return found
  }
}
