/// Reads the batches of an open segment.
struct OpenSegment {
  let file: LogFile
  let limits: LogLimits
  private let ahead: ReadAhead

  init(file: LogFile, limits: LogLimits) {
    self.file = file
    self.limits = limits
    ahead = ReadAhead(file)
  }

  /// Forgets what was read ahead: a writer may cut back an unfinished batch and write another.
  func forget() {
    ahead.forget()
  }

  /// The fixed part of the segment's first header.
  ///
  /// - Parameter sequence: in the segment's name.
  /// - Throws: damage, also where the segment begins with another event than its name says.
  func firstHeader(due sequence: UInt64) throws -> BatchHeader {
    let fixed = try file.read(BatchHeader.fixedLength, at: 0)
    guard !fixed.isEmpty else {
      throw EventLogError.damaged(
        .incomplete, "the segment is empty", file.path, 0, sequence)
    }
    let header: BatchHeader
    do throws(BatchHeader.Flaw) {
      header = try BatchHeader(fixed: fixed, limits: limits)
    } catch {
      throw error.error(file.path, 0, sequence)
    }
    guard header.firstSequence == sequence else {
      throw EventLogError.misnamed(file.path, first: header.firstSequence)
    }
    return header
  }

  /// What stands at an offset.
  enum Reading {
    case batch(BatchHeader)
    /// The file ends here.
    case end
    /// What is here is not what was written; `extent` is where the batch ends as far as is known, and nil if the
    /// file ends within it.
    case flawed(BatchHeader.Flaw, extent: UInt64?)

    static let cutShort = Reading.flawed(
      BatchHeader.Flaw(.incomplete, "the file ends within a batch"), extent: nil)
  }

  /// Reads the header at an offset and, if asked to, every stored byte of the batch.
  ///
  /// - Parameters:
  ///   - size: of the file, as it was looked at before.
  ///   - head: of the log before this batch.
  /// - Throws: damage that no interrupted write can leave: a header that is intact and says something
  ///   else than what is due here.
  func read(
    at offset: UInt64, size: UInt64, due head: LogHead, of logID: LogID?, checksFrames: Bool
  ) throws -> Reading {
    guard offset < size else { return .end }
    let fixed = try ahead.read(BatchHeader.fixedLength, at: offset)
    guard fixed.count == BatchHeader.fixedLength else { return .cutShort }
    var header: BatchHeader
    do throws(BatchHeader.Flaw) {
      header = try BatchHeader(fixed: fixed, limits: limits)
      // The first batch of a log is due after the hash of its own log id.
      let previous = head.sequence == 0 ? LogHead.empty(header.logID).chain : head.chain
      try header.check(due: head.sequence + 1, after: previous, of: logID)
    } catch {
      guard error.damage == .headerCRC else {
        throw error.error(file.path, offset, head.sequence + 1)
      }
      return .flawed(error, extent: size)
    }

    let tableLength = BatchHeader.entryLength * header.frames.count
    let table = try ahead.read(tableLength, at: offset + UInt64(BatchHeader.fixedLength))
    guard table.count == tableLength else { return .cutShort }
    do throws(BatchHeader.Flaw) {
      try header.readTable(table, fixed: fixed, limits: limits)
    } catch {
      guard error.damage == .frameTableCRC else {
        throw error.error(file.path, offset, header.firstSequence)
      }
      return .flawed(error, extent: size)
    }
    let end = offset + header.storedLength
    guard end <= size else { return .cutShort }
    guard checksFrames else { return .batch(header) }
    var place = offset + UInt64(header.length)
    for (index, frame) in header.frames.enumerated() {
      let length = Int(frame.storedLength)
      let stored =
        length <= ReadAhead.length
        ? try ahead.read(length, at: place) : try file.read(length, at: place)
      guard stored.withUnsafeBytes(frame.isOf) else {
        return .flawed(.damagedFrame(index), extent: end)
      }
      place += UInt64(length)
    }
    return .batch(header)
  }
}

/// Serves small reads that go forward from larger ones: a walk over headers costs few system calls.
private final class ReadAhead {
  private let file: LogFile
  private var bytes: [UInt8] = []
  private var start: UInt64 = 0
  static let length = 1 << 16

  init(_ file: LogFile) {
    self.file = file
  }

  func forget() {
    bytes = []
  }

  /// Reads exactly so many bytes, or fewer at the end of the file.
  func read(_ count: Int, at offset: UInt64) throws -> [UInt8] {
    let end = start + UInt64(bytes.count)
    // What was read before may have been the file's end then: a writer goes on behind it.
    if offset < start || offset + UInt64(count) > end {
      bytes = try file.read(max(Self.length, count), at: offset)
      start = offset
    }
    let from = Int(offset - start)
    return Array(bytes[min(from, bytes.count)..<min(from + count, bytes.count)])
  }
}
