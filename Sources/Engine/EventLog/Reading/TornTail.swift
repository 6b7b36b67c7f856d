/// The last batch of the last segment, interrupted by a crash.
package struct TornTail: Hashable, Sendable, CustomStringConvertible {
  /// Path of the segment.
  package let file: String
  package let offset: UInt64
  package let length: UInt64
  /// The first sequence of the batch that was being written.
  package let sequence: UInt64
  /// Where recovery put the bytes; nil if nothing was repaired.
  package var keptAt: String?

  package var description: String {
    "\(length) bytes of an interrupted write at \(file) offset \(offset), sequence \(sequence)"
      + (keptAt.map { ", kept in \($0)" } ?? "")
  }
}

extension LogFile {
  private static let sector: UInt64 = 512

  /// Whether what stands at `offset` can only be a write that a crash interrupted.
  ///
  /// - Parameters:
  ///   - size: of the file, as it was when the batch was read: a writer may be going on.
  ///   - extent: where the unreadable batch ends; nil if the file ends within it.
  func isTorn(
    at offset: UInt64, size: UInt64, due head: LogHead, of logID: LogID, extent: UInt64?
  ) throws -> Bool {
    if try isZero(offset..<size) { return true }
    if let extent, try !hasZeroSector(offset..<extent) { return false }
    guard try isHeaderDue(at: offset, size: size, due: head, of: logID) else { return false }
    // A batch ends at its extent: what follows it was written later, so this one was acknowledged.
    if let extent, extent < size { return false }
    return try !hasIntactHeader(in: offset + 1..<size)
  }

  private func isZero(_ range: Range<UInt64>) throws -> Bool {
    try scan(range) { bytes, _, _ in bytes.allSatisfy { $0 == 0 } }
  }

  /// Whether a whole aligned sector within the range is zero: one that never reached the disk.
  private func hasZeroSector(_ range: Range<UInt64>) throws -> Bool {
    let first = (range.lowerBound + Self.sector - 1) / Self.sector * Self.sector
    var sector = first
    while sector + Self.sector <= range.upperBound {
      if try isZero(sector..<sector + Self.sector) { return true }
      sector += Self.sector
    }
    return false
  }

  /// Whether the bytes that are there of a header, but for zeroed sectors, are of the header that is
  /// due: noise and a foreign tail are no interrupted write.
  private func isHeaderDue(
    at offset: UInt64, size: UInt64, due head: LogHead, of logID: LogID
  ) throws -> Bool {
    let known = BatchHeader(
      logID: logID, firstSequence: head.sequence + 1, eventCount: 1, plainLength: 1,
      previousChain: head.chain, chain: head.chain, frames: []
    ).encoded()
    let there = try read(BatchHeader.fixedLength, at: offset)
    // Magic, then signature to first sequence, then the previous chain hash: what no batch's content
    // decides.
    for range in [0..<4, 8..<40, 56..<88] {
      for index in range where index < there.count && there[index] != known[index] {
        let sector = (offset + UInt64(index)) / Self.sector * Self.sector
        guard there[index] == 0,
          try isZero(max(sector, offset)..<min(sector + Self.sector, size))
        else { return false }
      }
    }
    return true
  }

  /// Whether an intact header of a batch, or of a sealed segment, begins anywhere in the range.
  private func hasIntactHeader(in range: Range<UInt64>) throws -> Bool {
    try findHeader(in: range) { fixed, _ in
      BatchHeader.isIntact(fixed) || SealHeader.isIntact(fixed) ? true : nil
    } ?? false
  }

  /// Reads a range piece by piece, each with its offset, while `body` returns true; whether it did to the end.
  func scan(
    _ range: Range<UInt64>, overlap: Int = 0,
    _ body: ([UInt8], _ place: UInt64, _ isLast: Bool) throws -> Bool
  ) throws -> Bool {
    let piece = 1 << 18
    var place = range.lowerBound
    while place < range.upperBound {
      let bytes = try read(
        Int(min(UInt64(piece + overlap), range.upperBound - place)), at: place)
      // Fewer bytes than asked for: a writer has cut the file back.
      let isLast =
        place + UInt64(bytes.count) >= range.upperBound || bytes.count < piece + overlap
      guard try body(bytes, place, isLast) else { return false }
      if isLast { return true }
      place += UInt64(bytes.count - overlap)
    }
    return true
  }
}
