/// The header of a batch in an open segment; `docs/EVENT_LOG_FORMAT.md` has its layout.
struct BatchHeader {
  static let magic: UInt32 = 0x184D_2A51
  static let signature = Array("CBAT".utf8)
  private static let signatureNumber = signature.number(UInt32.self, at: 0)
  static let version: UInt16 = 1
  /// Bytes before the frame table.
  static let fixedLength = 132
  static let entryLength = 12

  var logID: LogID
  var firstSequence: UInt64
  var eventCount: UInt64
  var plainLength: UInt64
  var previousChain: ChainHash
  var chain: ChainHash
  var frames: [FrameEntry]

  var lastSequence: UInt64 { firstSequence + eventCount - 1 }
  /// The head of the log before the batch.
  var previousHead: LogHead { LogHead(sequence: firstSequence - 1, chain: previousChain) }
  var length: Int { Self.fixedLength + Self.entryLength * frames.count }
  /// Bytes of header and frames.
  var storedLength: UInt64 {
    frames.reduce(UInt64(length)) { $0 + UInt64($1.storedLength) }
  }

  /// The batch, whose header is at a place of a segment.
  func info(segmentFirst: UInt64, offset: UInt64) -> BatchInfo {
    BatchInfo(
      firstSequence: firstSequence, eventCount: eventCount, plainLength: plainLength,
      storedLength: storedLength, previousChain: previousChain, chain: chain,
      segmentFirst: segmentFirst, offset: offset)
  }

  func encoded() -> [UInt8] {
    var table: [UInt8] = []
    for frame in frames { frame.append(to: &table) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(length)
    bytes.append(littleEndian: Self.magic)
    bytes.append(littleEndian: UInt32(Self.fixedLength - 8 + table.count))
    bytes += Self.signature
    bytes.append(littleEndian: Self.version)
    bytes.append(littleEndian: UInt16(0))
    bytes += logID.bytes
    bytes.append(littleEndian: firstSequence)
    bytes.append(littleEndian: eventCount)
    bytes.append(littleEndian: plainLength)
    bytes += previousChain.bytes
    bytes += chain.bytes
    bytes.append(littleEndian: UInt32(frames.count))
    bytes.append(littleEndian: CRC32.of(table))
    bytes.append(littleEndian: CRC32.of(bytes))
    return bytes + table
  }

  /// What is wrong with a batch.
  struct Flaw: Error {
    let damage: EventLogError.Damage
    let what: String

    init(_ damage: EventLogError.Damage, _ what: String) {
      (self.damage, self.what) = (damage, what)
    }

    static func damagedFrame(_ index: Int) -> Self {
      Flaw(.frameCRC, "data frame \(index) of the batch is damaged")
    }

    /// The error of a batch that a file has.
    func error(_ file: String, _ offset: UInt64, _ sequence: UInt64) -> EventLogError {
      .damaged(damage, what, file, offset, sequence)
    }
  }

  /// Whether the fixed part is one that a writer made: magic, signature and CRC.
  static func isIntact(_ fixed: [UInt8]) -> Bool {
    fixed.count >= fixedLength && fixed.number(UInt32.self, at: 0) == magic
      && fixed.number(UInt32.self, at: 8) == signatureNumber
      && fixed.number(UInt32.self, at: 128) == CRC32.of(fixed[0..<128])
  }
}

extension BatchHeader {
  /// Reads the fixed part; the frame table follows with `readTable`.
  init(fixed: [UInt8], limits: LogLimits) throws(Flaw) {
    guard Self.isIntact(fixed) else {
      throw Flaw(.headerCRC, "the batch header is damaged")
    }
    guard fixed.number(UInt16.self, at: 12) == Self.version, fixed.number(UInt16.self, at: 14) == 0
    else {
      throw Flaw(
        .version,
        "the batch has format \(fixed.number(UInt16.self, at: 12)), this program reads format 1")
    }
    logID = LogID(fixed, at: 16)
    firstSequence = fixed.number(UInt64.self, at: 32)
    eventCount = fixed.number(UInt64.self, at: 40)
    plainLength = fixed.number(UInt64.self, at: 48)
    previousChain = ChainHash(fixed, at: 56)
    chain = ChainHash(fixed, at: 88)
    let count = Int(fixed.number(UInt32.self, at: 120))
    guard (1...limits.frames).contains(count),
      fixed.number(UInt32.self, at: 4) == UInt32(Self.fixedLength - 8 + Self.entryLength * count),
      firstSequence >= 1, eventCount >= 1, plainLength >= eventCount,
      !firstSequence.addingReportingOverflow(eventCount).overflow
    else { throw Flaw(.header, "the batch header is inconsistent") }
    frames = Array(repeating: FrameEntry(storedLength: 0, plainLength: 0, crc: 0), count: count)
  }

  /// Reads the frame table, whose CRC stands in the fixed part.
  mutating func readTable(_ table: [UInt8], fixed: [UInt8], limits: LogLimits) throws(Flaw) {
    guard CRC32.of(table) == fixed.number(UInt32.self, at: 124) else {
      throw Flaw(.frameTableCRC, "the batch's frame table is damaged")
    }
    var plain: UInt64 = 0
    for index in frames.indices {
      frames[index] = FrameEntry(table, at: index * Self.entryLength)
      guard frames[index].isWithin(plain: limits.frame) else {
        throw Flaw(.header, "frame \(index) of the batch is longer than any can be")
      }
      plain += UInt64(frames[index].plainLength)
    }
    guard plain == plainLength else {
      throw Flaw(.header, "the lengths of the batch's frames differ from its length")
    }
  }

  /// Checks that the batch is the one that is due.
  ///
  /// - Parameters:
  ///   - sequence: of its first event.
  ///   - previous: the chain hash of the log before it.
  ///   - id: of the log; nil if it is not known yet.
  func check(
    due sequence: UInt64, after previous: ChainHash, of id: LogID?
  ) throws(Flaw) {
    if let id, logID != id { throw Flaw(.logID, "the batch belongs to another log") }
    guard firstSequence == sequence else {
      throw Flaw(.sequence, "the batch begins with event \(firstSequence) instead of \(sequence)")
    }
    guard previousChain == previous else {
      throw Flaw(.chain, "the batch does not follow the batch before it")
    }
  }
}

/// A data frame: how long it is stored and plain, and the CRC of its stored bytes.
struct FrameEntry: Hashable {
  var storedLength: UInt32
  var plainLength: UInt32
  var crc: UInt32
}

extension FrameEntry {
  init(_ bytes: [UInt8], at offset: Int) {
    storedLength = bytes.number(UInt32.self, at: offset)
    plainLength = bytes.number(UInt32.self, at: offset + 4)
    crc = bytes.number(UInt32.self, at: offset + 8)
  }

  func append(to bytes: inout [UInt8]) {
    bytes.append(littleEndian: storedLength)
    bytes.append(littleEndian: plainLength)
    bytes.append(littleEndian: crc)
  }

  /// Whether these are the frame's stored bytes.
  func isOf(_ stored: UnsafeRawBufferPointer) -> Bool {
    stored.count == Int(storedLength) && CRC32.of(stored) == crc
  }

  /// Whether the lengths are such as a writer can make: nothing is allocated for others.
  func isWithin(plain limit: Int) -> Bool {
    (1...limit).contains(Int(plainLength)) && storedLength >= 1
      && Int(storedLength) <= ZstdDecompressor.bound(limit)
  }
}
