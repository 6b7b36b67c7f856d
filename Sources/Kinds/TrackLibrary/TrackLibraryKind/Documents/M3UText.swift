import CatalogEngine

/// The text of a playlist's file, whatever wrote it.
enum M3UText {
  /// - Parameter isUTF8: whether the file must be UTF-8 where no byte order mark says otherwise; else bytes that are
  ///   not UTF-8 are Windows-1252, as players wrote before.
  static func decoded(
    _ bytes: [UInt8], file: String, isUTF8: Bool
  ) throws(DocumentError) -> String {
    // Before the mark of UTF-16, with which that of UTF-32 begins.
    if bytes.starts(with: [0xFF, 0xFE, 0, 0]) {
      return try utf32(bytes.dropFirst(4), file: file) { $0.reversed() }
    }
    if bytes.starts(with: [0, 0, 0xFE, 0xFF]) {
      return try utf32(bytes.dropFirst(4), file: file) { $0 }
    }
    if bytes.starts(with: [0xFF, 0xFE]) {
      return try utf16(bytes.dropFirst(2), file: file) { UInt16($1) << 8 | UInt16($0) }
    }
    if bytes.starts(with: [0xFE, 0xFF]) {
      return try utf16(bytes.dropFirst(2), file: file) { UInt16($0) << 8 | UInt16($1) }
    }
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    let text = hasMark ? bytes.dropFirst(3) : bytes[...]
    if let zero = text.firstIndex(of: 0) {
      throw failure(file, "the text holds U+0000", at: zero, "save it as UTF-8")
    }
    if let decoded = String(validating: text, as: UTF8.self) { return decoded }
    if isUTF8 || hasMark {
      throw failure(
        file, "the text is not UTF-8", at: invalidOffset(text), "save it as UTF-8, or name it .m3u")
    }
    return windows1252(text)
  }

  /// Calls `body` with each line and its number, from 1 on. Lines end with a line feed, a carriage return, or both.
  static func readLines<Failure: Error>(
    _ text: String, _ body: (String, Int) throws(Failure) -> Void
  ) throws(Failure) {
    let bytes = text.utf8
    var (start, number) = (bytes.startIndex, 1)
    var place = start
    while place < bytes.endIndex {
      let byte = bytes[place]
      guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
        bytes.formIndex(after: &place)
        continue
      }
      try body(String(text[start..<place]), number)
      number += 1
      bytes.formIndex(after: &place)
      if byte == UInt8(ascii: "\r"), place < bytes.endIndex, bytes[place] == UInt8(ascii: "\n") {
        bytes.formIndex(after: &place)
      }
      start = place
    }
    try body(String(text[start...]), number)
  }

  /// Whether a text has no end of a line in it.
  static func isOneLine(_ text: String) -> Bool {
    !text.utf8.contains { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
  }

  /// - Parameter bigEndian: the four bytes of a unit, the highest first.
  private static func utf32(
    _ bytes: ArraySlice<UInt8>, file: String, _ bigEndian: ([UInt8]) -> [UInt8]
  ) throws(DocumentError) -> String {
    var scalars = String.UnicodeScalarView()
    var offset = bytes.startIndex
    while offset < bytes.endIndex {
      let unit = bigEndian(Array(bytes[offset..<min(offset + 4, bytes.endIndex)]))
      let value = unit.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      guard unit.count == 4, let scalar = Unicode.Scalar(value) else {
        throw failure(file, "the text is not UTF-32", at: offset, "save it as UTF-8")
      }
      guard value != 0 else {
        throw failure(file, "the text holds U+0000", at: offset, "save it as UTF-8")
      }
      scalars.append(scalar)
      offset += 4
    }
    return String(scalars)
  }

  private static func utf16(
    _ bytes: ArraySlice<UInt8>, file: String, _ unit: (UInt8, UInt8) -> UInt16
  ) throws(DocumentError) -> String {
    let bytes = Array(bytes)
    let units = stride(from: 0, to: bytes.count - 1, by: 2).map { unit(bytes[$0], bytes[$0 + 1]) }
    guard bytes.count.isMultiple(of: 2), let text = String(validating: units, as: UTF16.self) else {
      throw failure(file, "the text is not UTF-16", at: bytes.count, "save it as UTF-8")
    }
    if let zero = units.firstIndex(of: 0) {
      throw failure(file, "the text holds U+0000", at: 2 + zero * 2, "save it as UTF-8")
    }
    return text
  }

  private static func invalidOffset(_ bytes: ArraySlice<UInt8>) -> Int {
    var low = 0
    var high = bytes.count
    // The longest beginning that is valid but for a character that it cuts.
    while low < high {
      let middle = (low + high + 1) / 2
      let isValid = (0...3).contains { cut in
        cut <= middle && String(validating: bytes.prefix(middle - cut), as: UTF8.self) != nil
      }
      if isValid { low = middle } else { high = middle - 1 }
    }
    let valid = (0...3).first {
      $0 <= low && String(validating: bytes.prefix(low - $0), as: UTF8.self) != nil
    }
    return bytes.startIndex + low - (valid ?? 0)
  }

  private static func windows1252(_ bytes: ArraySlice<UInt8>) -> String {
    let upper: [UInt16] = [
      0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
      0x0152, 0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
      0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
    ]
    return String(
      decoding: bytes.map { 0x80..<0xA0 ~= $0 ? upper[Int($0) - 0x80] : UInt16($0) }, as: UTF16.self
    )
  }

  private static func failure(
    _ file: String, _ message: String, at offset: Int, _ advice: String
  ) -> DocumentError {
    DocumentError(
      code: .invalidValue, file: file, offset: offset, message: message, advice: advice)
  }
}
