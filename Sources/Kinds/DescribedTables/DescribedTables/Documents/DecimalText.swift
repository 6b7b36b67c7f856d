import CatalogModel

/// A number as people and programs write it: digits, perhaps with a sign, a point and an exponent.
struct DecimalText {
  /// Its text in the grammar that `Double` and `JSONNumber` read: without `+`, with a digit before the point.
  let text: String
  let isWhole: Bool

  /// - Parameter decimal: the byte before the fraction.
  /// - Returns: nil if the bytes are no number.
  init?(_ bytes: UnsafeRawBufferPointer, decimal: UInt8) {
    var text: [UInt8] = []
    var index = 0
    var digits = 0
    var isWhole = true
    func takeDigits() -> Int {
      let start = index
      while index < bytes.count, bytes[index].isASCIIDigit {
        text.append(bytes[index])
        index += 1
      }
      return index - start
    }
    if index < bytes.count, bytes[index] == 0x2B || bytes[index] == 0x2D {
      if bytes[index] == 0x2D { text.append(0x2D) }
      index += 1
    }
    digits = takeDigits()
    if digits == 0 { text.append(0x30) }
    if index < bytes.count, bytes[index] == decimal {
      index += 1
      text.append(0x2E)
      let fraction = takeDigits()
      if fraction == 0 { text.append(0x30) }
      digits += fraction
      isWhole = false
    }
    guard digits > 0 else { return nil }
    if index < bytes.count, bytes[index] | 0x20 == 0x65 {
      index += 1
      text.append(0x65)
      isWhole = false
      if index < bytes.count, bytes[index] == 0x2B || bytes[index] == 0x2D {
        text.append(bytes[index])
        index += 1
      }
      guard takeDigits() > 0 else { return nil }
    }
    guard index == bytes.count else { return nil }
    self.text = String(decoding: text, as: UTF8.self)
    self.isWhole = isWhole
  }

  /// The number as a whole one.
  var integer: JSONNumber.Integer { JSONNumber.integer(.number(text)) }

  /// Whether it is a zero with a minus.
  var isNegativeZero: Bool {
    text.hasPrefix("-") && integer == .value(negative: false, magnitude: 0)
  }

  /// The digits from the first to the last that is not 0, and the place of the point.
  private static func significant(_ text: String) -> (digits: [UInt8], exponent: Int) {
    var digits: [UInt8] = []
    var exponent = 0
    var isFraction = false
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      if byte == 0x2E {
        isFraction = true
      } else if byte | 0x20 == 0x65 {
        exponent += Int(String(decoding: rest, as: UTF8.self).replacing("+", with: "")) ?? 0
        break
      } else if byte.isASCIIDigit {
        digits.append(byte)
        if isFraction { exponent -= 1 }
      }
    }
    while digits.last == 0x30 {
      digits.removeLast()
      exponent += 1
    }
    return (Array(digits.drop { $0 == 0x30 }), exponent)
  }

  /// The nearest `Double`, if it is as exact as one can be: 17 digits are all that tell one `Double` from another. It throws if
  /// the text has more digits than that, which would be lost, or is a whole number that no `Double` is.
  func double() throws(ValueProblem) -> Double {
    guard let real = Double(text), real.isFinite else {
      throw ValueProblem("is too large for a number", advice: "describe the column as text")
    }
    if case .value(let negative, let magnitude) = integer {
      let isExact = UInt64(exactly: real.magnitude) == magnitude && (real < 0) == negative
      guard isExact || magnitude == 0 else {
        throw ValueProblem(
          "cannot be kept exactly as a number",
          advice: "describe the column as integer or text")
      }
      return real
    }
    let written = Self.significant(text)
    if written.digits.count > 17 {
      let kept = Self.significant(real.description)
      guard kept.digits == written.digits, kept.exponent == written.exponent else {
        throw ValueProblem(
          "has more digits than a number keeps", advice: "describe the column as text")
      }
    }
    return real
  }
}
