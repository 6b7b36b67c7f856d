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

  /// The first batch of a segment that begins at an offset or behind it, by an intact header; nil if
  /// there is none.
  ///
  /// - Parameter logID: batches of other logs are passed over; nil takes any.
  func place(in segment: UInt64, from offset: UInt64, of logID: LogID?) throws -> BatchPlace? {
    let file = try folder.open(segment: segment)
    if try SealHeader.begins(file) {
      guard let cursor = try sealed(file), logID == nil || cursor.header.logID == logID,
        let (head, offset) = cursor.skip(toOffset: offset)
      else { return nil }
      return BatchPlace(
        segment: segment, offset: offset, head: head, logID: cursor.header.logID)
    }
    return try OpenSegment(file: file, limits: limits).intactHeader(from: offset, of: logID)
      .map { offset, header in
        BatchPlace(
          segment: segment, offset: offset,
          head: LogHead(sequence: header.firstSequence - 1, chain: header.previousChain),
          logID: header.logID)
      }
  }

  /// The last sequence that an intact header still tells of where a batch cannot be read: of the batch
  /// in an open segment, of the whole in a sealed one.
  func lastSequence(in segment: UInt64, at offset: UInt64, of logID: LogID?) throws -> UInt64? {
    let file = try folder.open(segment: segment)
    if try SealHeader.begins(file) {
      guard let header = try sealed(file)?.header, logID == nil || header.logID == logID else {
        return nil
      }
      return header.lastSequence
    }
    let found = try OpenSegment(file: file, limits: limits).intactHeader(
      from: offset, of: logID, isThere: true)
    return found?.header.lastSequence
  }

  /// The first event of a segment, by an intact header at its beginning; nil if there is none.
  func firstSequence(in segment: UInt64, of logID: LogID?) throws -> UInt64? {
    let file = try folder.open(segment: segment)
    if try SealHeader.begins(file) {
      guard let header = try sealed(file)?.header, logID == nil || header.logID == logID else {
        return nil
      }
      return header.firstSequence
    }
    return try OpenSegment(file: file, limits: limits)
      .intactHeader(from: 0, of: logID, isThere: true)?.header.firstSequence
  }

  /// Nil where the segment's header or tables cannot be read: then nothing of it can be placed.
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
  ///   - logID: headers of other logs are passed over; nil takes any.
  ///   - isThere: looks at the offset alone.
  func intactHeader(
    from start: UInt64, of logID: LogID?, isThere: Bool = false
  ) throws -> (offset: UInt64, header: BatchHeader)? {
    let piece = isThere ? BatchHeader.fixedLength : 1 << 18
    let size = try file.size()
    var place = start
    while place < size, size - place >= UInt64(BatchHeader.fixedLength) {
      let bytes = try file.read(Int(min(UInt64(piece), size - place)), at: place)
      // Fewer bytes than a header: a writer has cut the file back.
      guard bytes.count >= BatchHeader.fixedLength else { return nil }
      for index in 0...bytes.count - BatchHeader.fixedLength
      where bytes[index] == UInt8(truncatingIfNeeded: BatchHeader.magic)
        && bytes.number(UInt32.self, at: index) == BatchHeader.magic
      {
        do throws(BatchHeader.Flaw) {
          let fixed = Array(bytes[index..<index + BatchHeader.fixedLength])
          let header = try BatchHeader(fixed: fixed, limits: limits)
          if logID == nil || header.logID == logID { return (place + UInt64(index), header) }
        } catch {
          // Four bytes that look like the magic, or a header that is damaged too: look further.
        }
      }
      if isThere { return nil }
      place += UInt64(bytes.count - BatchHeader.fixedLength + 1)
    }
    return nil
  }
}
