/// The UUID of an item, a pack, an asset or an operation, in 16 bytes.
///
/// Written lower-case (RFC 9562), read in either case. Its order is that of its bytes, which is also
/// the order of its text: rows sorted by id are in SQLite's key order.
public struct EntityID: Hashable, Comparable, Sendable {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Takes 16 bytes in network order.
  package init(bytes: some Collection<UInt8>) {
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
      let value: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): value = byte - UInt8(ascii: "A") + 10
      default: return nil
      }
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

  /// Reads 36 bytes of lower-case text; nil for anything else, upper case too.
  ///
  /// The fast twin of `init(utf8:)`: an event has up to three ids.
  init?(canonical text: UnsafeBufferPointer<UInt8>) {
    guard text.count == 36, text[8] == 0x2D, text[13] == 0x2D, text[18] == 0x2D, text[23] == 0x2D
    else { return nil }
    var invalid: UInt8 = 0
    @inline(__always)
    func digits(_ range: Range<Int>) -> UInt64 {
      var value: UInt64 = 0
      for index in range {
        let byte = text[index]
        let digit = byte &- 0x30
        let letter = byte &- 0x61
        invalid |= digit < 10 || letter < 6 ? 0 : 1
        value = value << 4 | UInt64(digit < 10 ? digit : (letter &+ 10) & 15)
      }
      return value
    }
    let high = digits(0..<8) << 32 | digits(9..<13) << 16 | digits(14..<18)
    let low = digits(19..<23) << 48 | digits(24..<36)
    guard invalid == 0 else { return nil }
    self.init(high: high, low: low)
  }

  public init?(_ text: String) {
    self.init(utf8: text.utf8)
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
