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
    do throws(BatchHeader.Flaw) {
      header = try Self.header(of: bytes, limits: .standard)
    } catch {
      throw EventLogError.damagedBatch(error, place, sequence)
    }
    self.bytes = bytes
    logID = header.logID
    info = header.info(segmentFirst: header.firstSequence, offset: 0)
  }

  private static func header(
    of bytes: [UInt8], limits: LogLimits
  ) throws(BatchHeader.Flaw) -> BatchHeader {
    let cutShort = BatchHeader.Flaw(.incomplete, "the batch is cut short")
    guard bytes.count >= BatchHeader.fixedLength else { throw cutShort }
    let fixed = Array(bytes[..<BatchHeader.fixedLength])
    var header = try BatchHeader(fixed: fixed, limits: limits)
    guard header.length <= bytes.count else { throw cutShort }
    try header.readTable(Array(bytes[fixed.count..<header.length]), fixed: fixed, limits: limits)
    guard header.storedLength == UInt64(bytes.count) else {
      throw BatchHeader.Flaw(
        .incomplete, "the batch has a different length than its header says")
    }
    var offset = header.length
    for (index, frame) in header.frames.enumerated() {
      let end = offset + Int(frame.storedLength)
      guard CRC32.of(bytes[offset..<end]) == frame.crc else { throw .damagedFrame(index) }
      offset = end
    }
    return header
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
      let words = "the batch begins with event \(firstSequence) instead of \(first)"
      throw EventLogError.damagedBatch(BatchHeader.Flaw(.sequence, words), place, first)
    }
  }

  /// The bytes at the beginning of a batch that name its log and its end.
  package static let endLength = BatchHeader.fixedLength

  /// The log and the end of a batch, from the first bytes of it.
  ///
  /// - Parameter sequence: the last event that is due there, for an error.
  /// - Throws: `damaged`.
  package static func end(
    of bytes: [UInt8], place: String, sequence: UInt64
  ) throws -> (logID: LogID, head: LogHead) {
    do throws(BatchHeader.Flaw) {
      let header = try BatchHeader(fixed: bytes, limits: .standard)
      return (
        header.logID, LogHead(sequence: header.lastSequence, chain: header.chain)
      )
    } catch {
      throw EventLogError.damagedBatch(error, place, sequence)
    }
  }

  /// Checks that the batch is the one that follows a head.
  func require(after head: LogHead?, of id: LogID?, place: String) throws {
    let due = (head?.sequence ?? 0) + 1
    do throws(BatchHeader.Flaw) {
      try header.check(due: due, after: (head ?? .empty(logID)).chain, of: id)
    } catch {
      throw EventLogError.damagedBatch(error, place, due)
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
    _ flaw: BatchHeader.Flaw, _ place: String, _ sequence: UInt64
  ) -> EventLogError {
    EventLogError(
      .damaged(flaw.damage),
      """
      the log is damaged (\(flaw.damage.rawValue)): \(flaw.what), in \(place) at event \(sequence); restore the log from a copy, \
      and compare what the copy lacks, or write what is good to a new catalog with \(do: .salvage). Nothing was changed
      """,
      file: place, sequence: sequence)
  }
}
