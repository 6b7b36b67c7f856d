/// The UUID of an item, a pack, an asset or an operation, in 16 bytes.
///
/// Written lower-case (RFC 9562), read in either case. Its order is that of its bytes, which is also
/// the order of its text: rows sorted by id are in SQLite's key order.
public struct EntityID: Hashable, Comparable, Sendable {
  package let high: UInt64
  package let low: UInt64

  /// The id whose bits are all zero, which RFC 9562 calls the nil UUID: no generated id has it.
  public static let zero = EntityID(high: 0, low: 0)

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Takes 16 bytes in network order: `6f 7d …` is `6f7d…`. Any other count is a programmer's mistake, and traps.
  public init(bytes: some Collection<UInt8>) {
    precondition(bytes.count == 16, "an id has 16 bytes")
    var high: UInt64 = 0
    var low: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      if index < 8 { high = high << 8 | UInt64(byte) } else { low = low << 8 | UInt64(byte) }
    }
    self.init(high: high, low: low)
  }

  /// Reads the 36 characters of `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`; anything else is nil.
  package init?(utf8 text: some Collection<UInt8>) {
    guard text.count == 36 else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    var digits = 0
    for (index, byte) in text.enumerated() {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let value = byte.hexValue else { return nil }
      if digits < 16 { high = high << 4 | UInt64(value) } else { low = low << 4 | UInt64(value) }
      digits += 1
    }
    self.init(high: high, low: low)
  }

  /// The same for bytes in memory. Not generic: rows and documents are read by other modules, where
  /// generic code is not specialised and took half of the time of reading a row.
  package init?(utf8 text: UnsafeRawBufferPointer) {
    if let id = EntityID(canonical: text.assumingMemoryBound(to: UInt8.self)) {
      self = id
      return
    }
    guard let id = EntityID(utf8: Array(text)) else { return nil }
    self = id
  }

  package init?(utf8 text: UnsafeBufferPointer<UInt8>) {
    self.init(utf8: UnsafeRawBufferPointer(text))
  }

  /// Reads 36 bytes of lower-case text; nil for anything else, upper case too.
  ///
  /// The fast twin of `init(utf8:)`: an event has up to three ids.
  package init?(canonical text: UnsafeBufferPointer<UInt8>) {
    guard text.count == 36, text[8] == 0x2D, text[13] == 0x2D, text[18] == 0x2D, text[23] == 0x2D
    else { return nil }
    let bytes = UnsafeRawBufferPointer(text)
    func eight(_ offset: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    func four(_ offset: Int) -> UInt64 {
      UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }
    guard let first = Self.value(ofDigits: eight(0)),
      let second = Self.value(ofDigits: four(9) | four(14) << 32),
      let third = Self.value(ofDigits: four(19) | four(24) << 32),
      let fourth = Self.value(ofDigits: eight(28))
    else { return nil }
    self.init(high: first << 32 | second, low: third << 32 | fourth)
  }

  /// The number that eight lower-case hex digits mean, the first of which is the lowest byte; nil if
  /// one of them is anything else. All eight at once: digit by digit this was a third of decoding.
  @inline(__always)
  private static func value(ofDigits digits: UInt64) -> UInt64? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let low = digits & (ones &* 0x0F)
    // 1 in each byte that is a letter: 0x61 to 0x66, where figures are 0x30 to 0x39.
    let letters = digits >> 6 & ones
    let isHighRight = digits & (ones &* 0xF0) == ones &* 0x30 &+ letters &* 0x30
    let tooLarge = (low &+ ones &* 6 &+ letters &* 3) & (ones &* 0x10)
    let tooSmall = letters & ~((low &+ ones &* 15) >> 4)
    guard isHighRight, tooLarge | tooSmall == 0 else { return nil }
    var value = (low &+ letters &* 9).byteSwapped
    value = (value | value >> 4) & 0x00FF_00FF_00FF_00FF
    value = (value | value >> 8) & 0x0000_FFFF_0000_FFFF
    return (value | value >> 16) & 0xFFFF_FFFF
  }

  public init?(_ text: String) {
    // Nearly every text is in one piece; character by character takes ten times as long.
    let inOnePiece = text.utf8.withContiguousStorageIfAvailable { EntityID(utf8: $0) }
    guard let id = inOnePiece ?? EntityID(utf8: Array(text.utf8)) else { return nil }
    self = id
  }

  public static func < (left: EntityID, right: EntityID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }

  package var bytes: [UInt8] {
    (0..<16).map { index in
      UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> UInt64(56 - 8 * (index % 8)))
    }
  }

  /// Hands each of the 36 characters of the text to `body`, in order.
  package func forEachCharacter(_ body: (UInt8) -> Void) {
    for index in 0..<16 {
      if index == 4 || index == 6 || index == 8 || index == 10 { body(UInt8(ascii: "-")) }
      let byte = UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> UInt64(56 - 8 * (index % 8)))
      body(Self.hexDigit(byte >> 4))
      body(Self.hexDigit(byte & 15))
    }
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
  }
}

extension EntityID: CustomStringConvertible {
  public var description: String {
    String(unsafeUninitializedCapacity: 36) { buffer in
      var end = 0
      forEachCharacter {
        buffer[end] = $0
        end += 1
      }
      return end
    }
  }
}
