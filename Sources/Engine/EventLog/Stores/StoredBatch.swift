import Support

/// A batch as an open segment has it: its header, and the stored bytes of its frames. A store that has no files keeps
/// these bytes as they are; docs/EVENT_LOG_FORMAT.md says what they mean.
public struct StoredBatch: Sendable {
  package let info: BatchInfo
  /// All that has to be kept.
  public let bytes: [UInt8]
  package let logID: LogID
  let header: BatchHeader

  /// The number of the first event in the log; that of the whole log is 1.
  public var firstSequence: UInt64 { info.firstSequence }
  public var lastSequence: UInt64 { info.lastSequence }
  /// The hash of the log up to the end of this batch, 32 bytes.
  public var chain: [UInt8] { info.chain.bytes }
  /// The hash of the log up to its beginning, 32 bytes: that of the batch before.
  public var previousChain: [UInt8] { info.previousChain.bytes }

  init(_ header: BatchHeader, frames: [UInt8]) {
    self.header = header
    logID = header.logID
    bytes = header.encoded() + frames
    info = header.info(segmentFirst: header.firstSequence, offset: 0)
  }

  /// Reads a batch, and checks every stored byte.
  ///
  /// - Parameters:
  ///   - place: the store of the bytes, for an error.
  ///   - sequence: the first event that is due there.
  /// - Throws: `damaged`.
  package init(_ bytes: [UInt8], place: String, due sequence: UInt64) throws {
    func damaged(_ damage: EventLogError.Damage, _ what: String) -> EventLogError {
      .damagedBatch(damage, what, place, sequence)
    }
    let limits = LogLimits.standard
    guard bytes.count >= BatchHeader.fixedLength else {
      throw damaged(.incomplete, "the batch is cut short")
    }
    let fixed = Array(bytes[..<BatchHeader.fixedLength])
    var header: BatchHeader
    do throws(BatchHeader.Flaw) {
      header = try BatchHeader(fixed: fixed, limits: limits)
      let end = BatchHeader.fixedLength + BatchHeader.entryLength * header.frames.count
      guard end <= bytes.count else {
        throw BatchHeader.Flaw(damage: .incomplete, what: "the batch is cut short")
      }
      try header.readTable(Array(bytes[fixed.count..<end]), fixed: fixed, limits: limits)
    } catch {
      throw damaged(error.damage, error.what)
    }
    guard header.storedLength == UInt64(bytes.count) else {
      throw damaged(.incomplete, "the batch has a different length than its header says")
    }
    var offset = header.length
    for (index, frame) in header.frames.enumerated() {
      let end = offset + Int(frame.storedLength)
      let isRight = bytes.withUnsafeBytes {
        CRC32.of(UnsafeRawBufferPointer(rebasing: $0[offset..<end])) == frame.crc
      }
      guard isRight else { throw damaged(.frameCRC, "data frame \(index) of the batch is damaged") }
      offset = end
    }
    self.header = header
    self.bytes = bytes
    logID = header.logID
    info = header.info(segmentFirst: header.firstSequence, offset: 0)
  }

  /// Reads a batch that a store kept, and checks every byte.
  ///
  /// - Parameters:
  ///   - place: the place of the bytes, for an error.
  ///   - first: the number of the event that it was kept under.
  /// - Throws: `EventLogError` with `damaged`.
  public init(_ bytes: [UInt8], in place: String, from first: UInt64) throws {
    try self.init(bytes, place: place, due: first)
    guard firstSequence == first else {
      throw EventLogError.damagedBatch(
        .sequence, "the batch begins with event \(firstSequence) instead of \(first)", place, first)
    }
  }

  /// Checks that the batch is the one that follows a head.
  func require(after head: LogHead?, of id: LogID?, place: String) throws {
    let due = (head?.sequence ?? 0) + 1
    if let id, logID != id {
      throw EventLogError.damagedBatch(.logID, "the batch belongs to another log", place, due)
    }
    guard info.firstSequence == due else {
      throw EventLogError.damagedBatch(
        .sequence, "the batch begins with event \(info.firstSequence) instead of \(due)", place, due
      )
    }
    guard info.previousChain == (head ?? .empty(logID)).chain else {
      throw EventLogError.damagedBatch(
        .chain, "the batch does not follow the batch before it", place, due)
    }
  }
}

/// Makes the batches of a store that has no files.
package final class BatchMaker {
  private let compressor: ZstdCompressor

  package init() throws {
    compressor = try ZstdCompressor(level: ZstdCompressor.appendLevel)
  }

  package func batch(after head: LogHead, of id: LogID) -> LogBatchBuilder {
    LogBatchBuilder(after: head, of: id, limits: .standard, compressor: compressor)
  }
}

extension LogBatchBuilder {
  /// The batch as a store keeps it.
  package consuming func batch() throws -> StoredBatch {
    let (header, frames) = try finish()
    return StoredBatch(header, frames: frames)
  }
}

extension EventLogError {
  /// Damage of a batch that is no part of a file.
  static func damagedBatch(
    _ damage: Damage, _ what: String, _ place: String, _ sequence: UInt64
  ) -> EventLogError {
    EventLogError(
      .damaged(damage),
      """
      the log is damaged (\(damage.rawValue)): \(what), in \(place) at event \(sequence); restore the log from a copy, \
      and compare what the copy lacks. Nothing was changed
      """,
      file: place, sequence: sequence)
  }
}
