/// A batch that is damaged and some of whose data frames are whole.
///
/// Its header and frame table have their CRCs, so its events' numbers and the place of each frame are
/// known. A whole frame has the CRC of the table and decodes to its plain length, zstd's checksum
/// included. The chain hash, which is of all lines, cannot be checked: this holds against accidents,
/// and not against a forger.
package struct DamagedBatch: Sendable {
  /// Path of its segment.
  package let file: String
  package let firstSequence: UInt64
  package let lastSequence: UInt64

  private let calls: any FileCalls
  private let limits: LogLimits
  private let frames: [(entry: FrameEntry, offset: UInt64)]

  /// A part of its text.
  package enum Piece {
    /// Lines that stand behind each other follow, up to `end`.
    ///
    /// - Parameter isFirst: they begin with the batch's first line; else a line, or several, are missing
    ///   before them, and nobody knows how many.
    case begin(isFirst: Bool)
    /// Whole lines, each with its line feed. The bytes live until the body returns.
    case lines(UnsafeRawBufferPointer)
    /// - Parameter isLast: the last of them was the batch's last line.
    case end(isLast: Bool)
  }

  /// Nil where a finding is not of a batch whose tables are intact, or of none of this log.
  init?(
    _ finding: LogFinding, of logID: LogID, _ folder: LogFolder, _ limits: LogLimits
  ) throws {
    // Any other damage is of tables, or of bytes that have their CRCs and are wrong all the same.
    guard finding.problem == .frameCRC || finding.problem == .incomplete else { return nil }
    let file = try LogFile(finding.file, .read, folder.calls)
    let found =
      try SealHeader.begins(file)
      ? Self.sealed(file, at: finding.offset, of: logID, limits)
      : Self.open(file, at: finding.offset, of: logID, limits)
    guard let found else { return nil }
    self.file = finding.file
    calls = folder.calls
    self.limits = limits
    firstSequence = found.firstSequence
    lastSequence = found.firstSequence + (found.eventCount - 1)
    var offset = found.offset
    frames = found.frames.map { entry in
      defer { offset += UInt64(entry.storedLength) }
      return (entry, offset)
    }
  }

  private typealias OpenedBatch = (
    firstSequence: UInt64, eventCount: UInt64, offset: UInt64, frames: [FrameEntry]
  )

  private static func open(
    _ file: LogFile, at offset: UInt64, of logID: LogID, _ limits: LogLimits
  ) throws -> OpenedBatch? {
    let fixed = try file.read(BatchHeader.fixedLength, at: offset)
    guard var header = try? BatchHeader(fixed: fixed, limits: limits), header.logID == logID else {
      return nil
    }
    let table = try file.read(
      BatchHeader.entryLength * header.frames.count, at: offset + UInt64(BatchHeader.fixedLength))
    guard (try? header.readTable(table, fixed: fixed, limits: limits)) != nil else { return nil }
    return (header.firstSequence, header.eventCount, offset + UInt64(header.length), header.frames)
  }

  /// Of a sealed segment only a batch that is longer than a frame has frames of its own.
  private static func sealed(
    _ file: LogFile, at offset: UInt64, of logID: LogID, _ limits: LogLimits
  ) throws -> OpenedBatch? {
    guard let header = try SealHeader.readable(file, limits: limits), header.logID == logID,
      let found = header.boundary(from: offset), found.offset == offset
    else { return nil }
    let batch = header.batches[found.batch]
    var length: UInt64 = 0
    let frames = header.frames[found.frame...].map(\.entry).prefix { entry in
      defer { length += UInt64(entry.plainLength) }
      return length < batch.plainLength
    }
    guard frames.count > 1, length >= batch.plainLength else { return nil }
    return (found.head.sequence + 1, batch.eventCount, offset, Array(frames))
  }

  /// Hands over the text of whole frames. A line that runs into a damaged frame is left out, and so is
  /// what stands of one behind it.
  package func forEachPiece(_ body: (Piece) throws -> Void) throws {
    let file = try LogFile(file, .read, calls)
    let decoder = try FrameDecoder()
    let splitter = LineSplitter(lineLimit: limits.line)
    var isWithin = false
    for (index, frame) in frames.enumerated() {
      let room = splitter.room(for: Int(frame.entry.plainLength))
      guard decoder.isRight(frame.entry, of: file, at: frame.offset, into: room) else {
        if isWithin { try body(.end(isLast: false)) }
        isWithin = false
        splitter.reset()
        continue
      }
      if isWithin || index == 0 {
        if index == 0 { try body(.begin(isFirst: true)) }
        splitter.feed(0..<room.count)
      } else {
        // Up to its first line feed it is the rest of a line whose beginning is lost.
        guard let end = room.firstIndex(of: 0x0A) else { continue }
        try body(.begin(isFirst: false))
        splitter.feed(end + 1..<room.count)
      }
      isWithin = true
      do {
        while let lines = try splitter.next(
          path: self.file, offset: frame.offset, sequence: firstSequence)
        {
          try body(.lines(lines))
        }
      } catch let error as EventLogError where error.isDamage {
        // A line without end: nothing behind it can be placed.
        try body(.end(isLast: false))
        return
      }
    }
    if isWithin { try body(.end(isLast: !splitter.isWithinLine)) }
  }
}
