/// A string or key that was scanned but not decoded: a range of the document's bytes.
package struct JSONText {
  /// The bytes between the quotes.
  let range: Range<Int>
  package let hasEscapes: Bool

  /// Offset of the opening quote.
  package var offset: Int { range.lowerBound - 1 }
}

extension JSONReader {
  /// Reads a string and decodes it.
  package mutating func readString() throws(JSONError) -> String {
    try expect(.string)
    return decode(try scanText())
  }

  /// Reads a string without decoding it.
  package mutating func readText() throws(JSONError) -> JSONText {
    try expect(.string)
    return try scanText()
  }

  /// Reads the string whose opening quote is at `position`; checks all of it.
  mutating func scanText() throws(JSONError) -> JSONText {
    let start = position + 1
    var end = start
    var hasEscapes = false
    while true {
      end = JSONScan.plainEnd(in: bytes, from: end)
      guard end < bytes.count else {
        throw JSONError(
          .invalidJSON, at: start - 1, showsValue: false,
          "the string that starts here is not closed",
          advice: "close it with a double quote")
      }
      let byte = bytes[end]
      if byte == UInt8(ascii: "\"") { break }
      if byte >= 0x80 {
        let length = JSONScan.utf8Length(in: bytes, at: end)
        guard length > 0 else {
          throw JSONError(
            .invalidJSON, at: end, showsValue: false,
            "byte 0x\(String(byte, radix: 16)) is not valid UTF-8 here",
            advice: "save the file as UTF-8")
        }
        end += length
      } else if byte == UInt8(ascii: "\\") {
        hasEscapes = true
        end += try escapeLength(at: end)
      } else {
        throw JSONError(
          .invalidJSON, at: end, showsValue: false,
          "control character U+\(JSONScan.hex4(UInt32(byte))) is not escaped in a string",
          advice: byte == 0 ? "U+0000 is refused, take it out" : "escape it, or take it out")
      }
    }
    position = end + 1
    return JSONText(range: start..<end, hasEscapes: hasEscapes)
  }

  /// Checks the escape at `offset` and returns its length; a surrogate pair counts as one escape.
  private func escapeLength(at offset: Int) throws(JSONError) -> Int {
    guard offset + 1 < bytes.count else { return 1 }
    switch bytes[offset + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return 2
    case UInt8(ascii: "u"):
      guard let unit = JSONScan.codeUnit(in: bytes, at: offset) else { break }
      if unit == 0, !isForeign {
        throw JSONError(
          .invalidJSON, at: offset, showsValue: false, "a string holds U+0000",
          advice: "take it out")
      }
      guard 0xD800...0xDFFF ~= unit else { return 6 }
      if unit < 0xDC00, let low = JSONScan.codeUnit(in: bytes, at: offset + 6),
        0xDC00...0xDFFF ~= low
      {
        return 12
      }
      if isForeign { return 6 }
      throw JSONError(
        .invalidJSON, at: offset, showsValue: false,
        "\\u\(JSONScan.hex4(unit)) is half of a surrogate pair",
        advice: "write the character itself in UTF-8")
    default: break
    }
    throw JSONError(
      .invalidJSON, at: offset, showsValue: false, "unknown escape after a backslash",
      advice: "write \\\\ for a backslash")
  }

  // MARK: Decoding

  package func decode(_ text: JSONText) -> String {
    // The bytes were checked when they were scanned, so nothing is repaired here.
    if !text.hasEscapes { return String(decoding: raw(text), as: UTF8.self) }
    return String(decoding: decodedBytes(text), as: UTF8.self)
  }

  /// The bytes between the quotes as they stand.
  package func raw(_ text: JSONText) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes[text.range])
  }

  package func decodedBytes(_ text: JSONText) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(text.range.count)
    var index = text.range.lowerBound
    while index < text.range.upperBound {
      guard bytes[index] == UInt8(ascii: "\\") else {
        decoded.append(bytes[index])
        index += 1
        continue
      }
      switch bytes[index + 1] {
      case UInt8(ascii: "b"): decoded.append(0x08)
      case UInt8(ascii: "f"): decoded.append(0x0C)
      case UInt8(ascii: "n"): decoded.append(0x0A)
      case UInt8(ascii: "r"): decoded.append(0x0D)
      case UInt8(ascii: "t"): decoded.append(0x09)
      case UInt8(ascii: "u"):
        var scalar = JSONScan.codeUnit(in: bytes, at: index) ?? 0xFFFD
        if 0xD800..<0xDC00 ~= scalar, let low = JSONScan.codeUnit(in: bytes, at: index + 6),
          0xDC00...0xDFFF ~= low
        {
          scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
          index += 6
        }
        decoded.append(contentsOf: String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8)
        index += 4
      case let same: decoded.append(same)
      }
      index += 2
    }
    return decoded
  }

  /// Whether a scanned text decodes to these bytes.
  @inline(__always)
  package func matches(_ text: JSONText, _ wanted: [UInt8]) -> Bool {
    if text.hasEscapes { return decodedBytes(text) == wanted }
    guard text.range.count == wanted.count else { return false }
    return wanted.withUnsafeBufferPointer { wanted in
      for index in 0..<wanted.count where bytes[text.range.lowerBound + index] != wanted[index] {
        return false
      }
      return true
    }
  }
}
