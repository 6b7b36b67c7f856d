import CatalogEngine

/// The text of a document that another program wrote.
enum DocumentText {
  /// A line, without its end.
  struct Line {
    var text: String
    /// From 1 on.
    var number: Int
    /// The bytes of the file, if they are others than those of `text`.
    var bytes: [UInt8]?
    /// If not, `text` is what the bytes mean in Windows-1252, as players wrote before.
    var isUTF8 = true

    /// The line without what is at its beginning and has no width. `bytes` has all of it.
    var withoutMarks: Line {
      let marks = text.unicodeScalars.prefix {
        DocumentText.isMark($0) || $0.properties.isWhitespace
      }
      guard marks.contains(where: DocumentText.isMark) else { return self }
      return Line(
        text: String(text.unicodeScalars.dropFirst(marks.count)), number: number,
        bytes: bytes ?? Array(text.utf8), isUTF8: isUTF8)
    }
  }

  /// Characters without a width that are no part of a name at its beginning: byte order marks, joiners, what sets a
  /// direction.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xFEFF, 0xFFFE, 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x2069, 0x061C, 0x00AD: true
    default: false
    }
  }

  /// The bytes of a document in UTF-8, without a byte order mark. If no mark says otherwise, they are as in the file.
  static func utf8(_ bytes: [UInt8], file: String) throws(DocumentError) -> [UInt8] {
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
    return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
  }

  /// Calls `body` with each line. Lines end with a line feed, a carriage return, or both.
  static func readLines<Failure: Error>(
    _ bytes: [UInt8], _ body: (Line) throws(Failure) -> Void
  ) throws(Failure) {
    var (start, number) = (0, 1)
    func line(_ end: Int) -> Line {
      let line = bytes[start..<end]
      if let text = String(validating: line, as: UTF8.self) {
        return Line(text: text, number: number)
      }
      return Line(text: windows1252(line), number: number, bytes: Array(line), isUTF8: false)
    }
    var place = 0
    while place < bytes.count {
      let byte = bytes[place]
      guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
        place += 1
        continue
      }
      try body(line(place))
      number += 1
      place += 1
      if byte == UInt8(ascii: "\r"), place < bytes.count, bytes[place] == UInt8(ascii: "\n") {
        place += 1
      }
      start = place
    }
    try body(line(bytes.count))
  }

  /// Whether a text has no end of a line in it.
  static func isOneLine(_ text: String) -> Bool {
    !text.utf8.contains { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
  }

  /// - Parameter bigEndian: the four bytes of a unit, the highest first.
  private static func utf32(
    _ bytes: ArraySlice<UInt8>, file: String, _ bigEndian: ([UInt8]) -> [UInt8]
  ) throws(DocumentError) -> [UInt8] {
    var scalars = String.UnicodeScalarView()
    var offset = bytes.startIndex
    while offset < bytes.endIndex {
      let unit = bigEndian(Array(bytes[offset..<min(offset + 4, bytes.endIndex)]))
      let value = unit.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      guard unit.count == 4, let scalar = Unicode.Scalar(value) else {
        throw failure(file, "the text is not UTF-32", at: offset, "save it as UTF-8")
      }
      scalars.append(scalar)
      offset += 4
    }
    return Array(String(scalars).utf8)
  }

  private static func utf16(
    _ bytes: ArraySlice<UInt8>, file: String, _ unit: (UInt8, UInt8) -> UInt16
  ) throws(DocumentError) -> [UInt8] {
    let bytes = Array(bytes)
    let units = stride(from: 0, to: bytes.count - 1, by: 2).map { unit(bytes[$0], bytes[$0 + 1]) }
    guard bytes.count.isMultiple(of: 2), let text = String(validating: units, as: UTF16.self) else {
      throw failure(file, "the text is not UTF-16", at: bytes.count, "save it as UTF-8")
    }
    return Array(text.utf8)
  }

  /// The text that bytes are in Windows-1252; each means something.
  static func windows1252(_ bytes: ArraySlice<UInt8>) -> String {
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
