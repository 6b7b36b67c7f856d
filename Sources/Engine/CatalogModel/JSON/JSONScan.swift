/// The byte loops under `JSONReader` and the fast event reader.
package enum JSONScan {
  /// The first offset from `start` on that holds a quote, a backslash, a control character or a
  /// byte above 0x7F; the end of the bytes if there is none.
  ///
  /// Eight bytes at a time: most of a document is plain ASCII text between quotes.
  @inline(__always)
  static func plainEnd(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var offset = start
    if let base = bytes.baseAddress {
      while offset + 8 <= bytes.count {
        let word = UInt64(
          littleEndian: UnsafeRawPointer(base + offset).loadUnaligned(as: UInt64.self))
        let special = specialBytes(in: word)
        if special != 0 { return offset + special.trailingZeroBitCount / 8 }
        offset += 8
      }
    }
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte < 0x20 || byte >= 0x80 || byte == 0x22 || byte == 0x5C { return offset }
      offset += 1
    }
    return bytes.count
  }

  /// The high bit of every byte that ends plain text; bits above the lowest set one may be wrong
  /// (a borrow can run upwards), so only the lowest may be used.
  @inline(__always)
  private static func specialBytes(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ (ones &* 0x22)
    let slashes = word ^ (ones &* 0x5C)
    return
      ((word &- ones &* 0x20) | (quotes &- ones) | (slashes &- ones) | word) & (ones &* 0x80)
  }

  /// The length of the well-formed UTF-8 sequence at `offset`, or 0 (RFC 3629: no overlong forms,
  /// no surrogates, nothing above U+10FFFF).
  package static func utf8Length(in bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> Int {
    func tail(_ index: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
      offset + index < bytes.count && range ~= bytes[offset + index]
    }
    switch bytes[offset] {
    case 0x00...0x7F: return 1
    case 0xC2...0xDF: return tail(1) ? 2 : 0
    case 0xE0: return tail(1, 0xA0...0xBF) && tail(2) ? 3 : 0
    case 0xE1...0xEC, 0xEE, 0xEF: return tail(1) && tail(2) ? 3 : 0
    case 0xED: return tail(1, 0x80...0x9F) && tail(2) ? 3 : 0
    case 0xF0: return tail(1, 0x90...0xBF) && tail(2) && tail(3) ? 4 : 0
    case 0xF1...0xF3: return tail(1) && tail(2) && tail(3) ? 4 : 0
    case 0xF4: return tail(1, 0x80...0x8F) && tail(2) && tail(3) ? 4 : 0
    default: return 0
    }
  }

  /// The UTF-16 code unit of the `\u` escape at `offset`, or nil if there is none.
  static func codeUnit(in bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> UInt32? {
    guard offset + 6 <= bytes.count, bytes[offset] == UInt8(ascii: "\\"),
      bytes[offset + 1] == UInt8(ascii: "u")
    else { return nil }
    var unit: UInt32 = 0
    for index in 2..<6 {
      guard let digit = bytes[offset + index].hexValue else { return nil }
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }

  static func hex4(_ value: UInt32) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
