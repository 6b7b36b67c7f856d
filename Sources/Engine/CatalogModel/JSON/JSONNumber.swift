/// A JSON number as text, and what it is worth.
package enum JSONNumber {
  /// The end of the number that starts at `start`, by the grammar of RFC 8259; nil if it is none.
  static func end(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    var offset = start
    func digits() -> Bool {
      let first = offset
      while offset < bytes.count, bytes[offset].isASCIIDigit { offset += 1 }
      return offset > first
    }
    if offset < bytes.count, bytes[offset] == UInt8(ascii: "-") { offset += 1 }
    if offset < bytes.count, bytes[offset] == UInt8(ascii: "0") {
      offset += 1
    } else if !digits() {
      return nil
    }
    if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
      offset += 1
      guard digits() else { return nil }
    }
    if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
      offset += 1
      if offset < bytes.count,
        bytes[offset] == UInt8(ascii: "+") || bytes[offset] == UInt8(ascii: "-")
      {
        offset += 1
      }
      guard digits() else { return nil }
    }
    // `01`, `1x`: what follows a number must not look like more of it.
    if offset < bytes.count, isWordByte(bytes[offset]) { return nil }
    return offset
  }

  /// What an integer field makes of a number.
  package enum Integer: Equatable {
    case value(negative: Bool, magnitude: UInt64)
    case fraction
    case outOfRange
  }

  /// The exact integer that a number's text stands for. `100`, `1e2`, `100.0` and `1000e-1` are the
  /// same JSON number to most tools, so all are taken; `1.5` is a fraction, nothing is rounded.
  package static func integer(_ text: UnsafeBufferPointer<UInt8>) -> Integer {
    var negative = false
    var digits: [UInt8] = []
    var exponent = 0
    var index = 0
    if text.first == UInt8(ascii: "-") {
      negative = true
      index = 1
    }
    var isFraction = false
    while index < text.count, text[index] | 0x20 != UInt8(ascii: "e") {
      if text[index] == UInt8(ascii: ".") {
        isFraction = true
      } else {
        digits.append(text[index] - UInt8(ascii: "0"))
        if isFraction { exponent -= 1 }
      }
      index += 1
    }
    if index < text.count {
      index += 1
      let isNegative = text[index] == UInt8(ascii: "-")
      if isNegative || text[index] == UInt8(ascii: "+") { index += 1 }
      var written = 0
      while index < text.count {
        // Beyond a billion the outcome no longer depends on the digits.
        written = min(written * 10 + Int(text[index] - UInt8(ascii: "0")), 1_000_000_000)
        index += 1
      }
      exponent += isNegative ? -written : written
    }
    while digits.last == 0 {
      digits.removeLast()
      exponent += 1
    }
    if digits.isEmpty { return .value(negative: false, magnitude: 0) }
    if exponent < 0 { return .fraction }
    if exponent > 20 { return .outOfRange }
    var magnitude: UInt64 = 0
    for digit in digits + Array(repeating: 0, count: exponent) {
      let (product, overflowed) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, carried) = product.addingReportingOverflow(UInt64(digit))
      if overflowed || carried { return .outOfRange }
      magnitude = sum
    }
    return .value(negative: negative, magnitude: magnitude)
  }

  package static func int64(negative: Bool, magnitude: UInt64) -> Int64? {
    if !negative { return Int64(exactly: magnitude) }
    return magnitude <= UInt64(Int64.max) + 1 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
  }

  /// The nearest `Double`; nil if it would be infinite. What is too small to tell from 0 is 0.
  package static func double(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    if let exact = shortDecimal(text) { return exact }
    guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else {
      return nil
    }
    return value
  }

  /// Up to 15 digits with at most 15 behind the point and no exponent: both the digits and the
  /// power of ten are exact doubles then, so one division rounds correctly (Clinger 1990).
  private static func shortDecimal(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    guard text.count <= 17 else { return nil }
    var mantissa: UInt64 = 0
    var digits = 0
    var behindPoint = -1
    for (index, byte) in text.enumerated() {
      if byte.isASCIIDigit {
        mantissa = mantissa * 10 + UInt64(byte - UInt8(ascii: "0"))
        digits += 1
        if behindPoint >= 0 { behindPoint += 1 }
      } else if byte == UInt8(ascii: ".") {
        behindPoint = 0
      } else if byte != UInt8(ascii: "-") || index > 0 {
        return nil
      }
    }
    guard digits <= 15 else { return nil }
    let magnitude = Double(mantissa) / powersOfTen[max(0, behindPoint)]
    return text.first == UInt8(ascii: "-") ? -magnitude : magnitude
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]

  private static func isWordByte(_ byte: UInt8) -> Bool {
    byte.isASCIIDigit || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "+")
      || byte == UInt8(ascii: "-") || (UInt8(ascii: "a")...UInt8(ascii: "z")) ~= byte | 0x20
  }
}
