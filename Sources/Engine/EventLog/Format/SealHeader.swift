/// The header of a sealed segment; `docs/EVENT_LOG_FORMAT.md` has its layout.
struct SealHeader {
  static let magic: UInt32 = 0x184D_2A52
  static let signature = Array("CSEA".utf8)
  static let fixedLength = 152
  static let entryLength = 48

  struct Frame {
    var entry: FrameEntry
    /// How many batches have their last byte in this frame.
    var batchesEnded: UInt32
    /// Chain hash of the last batch that ended in this frame or before it.
    var chain: ChainHash
  }

  struct Batch {
    var eventCount: UInt64
    var plainLength: UInt64
  }

  var logID: LogID
  var firstSequence: UInt64
  var eventCount: UInt64
  var plainLength: UInt64
  var previousChain: ChainHash
  var chain: ChainHash
  var frames: [Frame]
  var batches: [Batch]
  /// Bytes of the header on disk.
  var length = 0

  var lastSequence: UInt64 { firstSequence + eventCount - 1 }
  var head: LogHead { LogHead(sequence: lastSequence, chain: chain) }

  /// Whether a file begins as a sealed segment does.
  static func begins(_ file: LogFile) throws -> Bool {
    let bytes = try file.read(4, at: 0)
    return bytes.count == 4 && bytes.number(UInt32.self, at: 0) == magic
  }

  /// Whether the fixed part is one that a writer made: signature and CRC.
  static func isIntact(_ fixed: [UInt8]) -> Bool {
    fixed.count == fixedLength && Array(fixed[8..<12]) == signature
      && fixed.number(UInt32.self, at: 148) == CRC32.of(fixed[0..<148])
  }

  func encoded() throws -> [UInt8] {
    var table: [UInt8] = []
    for frame in frames {
      frame.entry.append(to: &table)
      table.append(littleEndian: frame.batchesEnded)
      table += frame.chain.bytes
    }
    var plainBatches: [UInt8] = []
    for batch in batches {
      plainBatches.append(leb128: batch.eventCount)
      plainBatches.append(leb128: batch.plainLength)
    }
    var batchTable: [UInt8] = []
    let compressor = try ZstdCompressor(level: ZstdCompressor.sealLevel)
    _ = try plainBatches.withUnsafeBytes { try compressor.append($0, to: &batchTable) }

    var bytes: [UInt8] = []
    bytes.append(littleEndian: Self.magic)
    bytes.append(littleEndian: UInt32(Self.fixedLength - 8 + table.count + batchTable.count))
    bytes += Self.signature
    bytes.append(littleEndian: BatchHeader.version)
    bytes.append(littleEndian: UInt16(0))
    bytes += logID.bytes
    bytes.append(littleEndian: firstSequence)
    bytes.append(littleEndian: eventCount)
    bytes.append(littleEndian: UInt64(batches.count))
    bytes.append(littleEndian: plainLength)
    bytes += previousChain.bytes
    bytes += chain.bytes
    bytes.append(littleEndian: UInt32(frames.count))
    bytes.append(littleEndian: CRC32.of(table))
    bytes.append(littleEndian: UInt32(batchTable.count))
    bytes.append(littleEndian: UInt32(plainBatches.count))
    bytes.append(littleEndian: CRC32.of(batchTable))
    bytes.append(littleEndian: CRC32.of(bytes))
    return bytes + table + batchTable
  }
}

extension SealHeader {
  /// Reads and checks the header of a sealed segment, and that the file is as long as it says.
  ///
  /// - Parameter due: nil takes the header at its word, and looks neither at the file's name nor at
  ///   its end: what can be read behind damage is still checked frame by frame.
  init(_ file: LogFile, firstSequence due: UInt64?, limits: LogLimits) throws {
    func damaged(_ damage: EventLogError.Damage, _ what: String) -> EventLogError {
      .damaged(damage, what, file.path, 0, due ?? 0)
    }
    let fixed = try file.read(Self.fixedLength, at: 0)
    guard Self.isIntact(fixed) else {
      throw damaged(.headerCRC, "the segment's header is damaged")
    }
    guard fixed.number(UInt16.self, at: 12) == BatchHeader.version,
      fixed.number(UInt16.self, at: 14) == 0
    else {
      throw damaged(
        .version,
        "the segment has format \(fixed.number(UInt16.self, at: 12)), this program reads format 1")
    }
    logID = LogID(fixed, at: 16)
    firstSequence = fixed.number(UInt64.self, at: 32)
    eventCount = fixed.number(UInt64.self, at: 40)
    let batchCount = fixed.number(UInt64.self, at: 48)
    plainLength = fixed.number(UInt64.self, at: 56)
    previousChain = ChainHash(fixed, at: 64)
    chain = ChainHash(fixed, at: 96)
    let frameCount = Int(fixed.number(UInt32.self, at: 128))
    let batchTableStored = Int(fixed.number(UInt32.self, at: 136))
    let batchTablePlain = Int(fixed.number(UInt32.self, at: 140))
    // A batch takes at least two bytes of the table and a line feed of the text. The number of
    // batches bounds what is allocated for the table.
    guard (1...limits.frames).contains(frameCount), eventCount >= 1, batchCount >= 1,
      batchCount <= eventCount, eventCount <= plainLength,
      !firstSequence.addingReportingOverflow(eventCount).overflow,
      batchCount <= UInt64(limits.batches), batchCount <= UInt64(batchTablePlain / 2),
      UInt64(batchTablePlain) <= 20 * batchCount,
      batchTableStored <= ZstdDecompressor.bound(batchTablePlain),
      UInt64(fixed.number(UInt32.self, at: 4))
        == UInt64(Self.fixedLength - 8 + Self.entryLength * frameCount + batchTableStored),
      firstSequence >= 1
    else { throw damaged(.header, "the segment's header is inconsistent") }
    guard due == nil || firstSequence == due else {
      throw EventLogError.misnamed(file.path, first: firstSequence)
    }

    let table = try file.read(Self.entryLength * frameCount, at: UInt64(Self.fixedLength))
    guard table.count == Self.entryLength * frameCount,
      CRC32.of(table) == fixed.number(UInt32.self, at: 132)
    else {
      throw damaged(.frameTableCRC, "the segment's frame table is damaged")
    }
    frames = (0..<frameCount).map { index in
      let offset = index * Self.entryLength
      return Frame(
        entry: FrameEntry(table, at: offset),
        batchesEnded: table.number(UInt32.self, at: offset + 12),
        chain: ChainHash(table, at: offset + 16))
    }
    guard frames.allSatisfy({ $0.entry.isWithin(plain: limits.sealedFrame) }) else {
      throw damaged(.header, "a frame of the segment is longer than any can be")
    }

    let stored = try file.read(
      batchTableStored, at: UInt64(Self.fixedLength + Self.entryLength * frameCount))
    guard stored.count == batchTableStored, CRC32.of(stored) == fixed.number(UInt32.self, at: 144)
    else { throw damaged(.frameTableCRC, "the segment's batch table is damaged") }
    batches = try Self.batches(stored, plain: batchTablePlain, count: batchCount) {
      damaged(.frame, "the segment's batch table cannot be read: \($0)")
    }
    length = Self.fixedLength + table.count + stored.count
    guard Self.sum(batches.lazy.map(\.eventCount)) == eventCount,
      Self.sum(batches.lazy.map(\.plainLength)) == plainLength,
      frames.reduce(0, { $0 + UInt64($1.entry.plainLength) }) == plainLength,
      frames.reduce(0, { $0 + UInt64($1.batchesEnded) }) == batchCount,
      batches.allSatisfy({ $0.eventCount >= 1 && $0.plainLength >= $0.eventCount }),
      frames.last?.chain == chain
    else { throw damaged(.header, "the segment's tables are inconsistent") }

    guard due != nil else { return }
    // The seek table's bytes follow from the header: whatever else stands there is damage.
    let end = frames.reduce(UInt64(length)) { $0 + UInt64($1.entry.storedLength) }
    let expected = seekTable()
    guard try file.read(expected.count + 1, at: end) == expected else {
      throw EventLogError.damaged(
        .seal, "the segment does not end with its seek table", file.path, end, lastSequence)
    }
  }

  /// The header of a sealed segment, taken at its word; nil if it or its tables cannot be read: then nothing of the
  /// segment can be placed.
  static func readable(_ file: LogFile, limits: LogLimits) throws -> SealHeader? {
    do {
      return try SealHeader(file, firstSequence: nil, limits: limits)
    } catch let error as EventLogError where error.isDamage {
      return nil
    }
  }

  /// nil if the sum has over 64 bits.
  private static func sum(_ numbers: some Sequence<UInt64>) -> UInt64? {
    var sum: UInt64 = 0
    for number in numbers {
      let (next, overflow) = sum.addingReportingOverflow(number)
      if overflow { return nil }
      sum = next
    }
    return sum
  }

  private static func batches(
    _ stored: [UInt8], plain: Int, count: UInt64, _ damaged: (String) -> EventLogError
  ) throws -> [Batch] {
    let decompressor = try ZstdDecompressor()
    var bytes = [UInt8](repeating: 0, count: plain)
    let problem = bytes.withUnsafeMutableBytes { bytes in
      stored.withUnsafeBytes { decompressor.decode($0, into: bytes) }
    }
    if let problem { throw damaged(problem) }
    var batches: [Batch] = []
    batches.reserveCapacity(Int(count))
    var offset = 0
    for _ in 0..<count {
      guard let events = bytes.leb128(at: &offset), let length = bytes.leb128(at: &offset) else {
        throw damaged("it is too short")
      }
      batches.append(Batch(eventCount: events, plainLength: length))
    }
    guard offset == plain else { throw damaged("it is too long") }
    return batches
  }

  /// The closing frame, in zstd's seekable format.
  func seekTable() -> [UInt8] {
    var bytes: [UInt8] = []
    let entries = frames.count + 1
    bytes.append(littleEndian: UInt32(0x184D_2A5E))
    bytes.append(littleEndian: UInt32(8 * entries + 9))
    bytes.append(littleEndian: UInt32(length))
    bytes.append(littleEndian: UInt32(0))
    for frame in frames {
      bytes.append(littleEndian: frame.entry.storedLength)
      bytes.append(littleEndian: frame.entry.plainLength)
    }
    bytes.append(littleEndian: UInt32(entries))
    bytes.append(littleEndian: 0 as UInt8)
    bytes.append(littleEndian: UInt32(0x8F92_EAB1))
    return bytes
  }
}
