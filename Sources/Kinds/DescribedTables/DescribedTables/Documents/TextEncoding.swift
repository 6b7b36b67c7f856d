import CatalogModel

/// How the characters of a document are bytes.
package enum TextEncoding: String, CaseIterable, Sendable {
  case utf8 = "UTF-8"
  case utf16LittleEndian = "UTF-16LE"
  case utf16BigEndian = "UTF-16BE"
  case windows1252 = "windows-1252"
  case latin1 = "ISO-8859-1"

  /// The encoding of a name, in any case: `utf-8`, `cp1252`, `latin-1`. `utf-16` is little endian unless a byte order mark
  /// says otherwise.
  package init?(name: String) {
    switch name.lowercased() {
    case "utf-8", "utf8", "ascii", "us-ascii": self = .utf8
    case "utf-16", "utf16", "utf-16le", "utf16le": self = .utf16LittleEndian
    case "utf-16be", "utf16be": self = .utf16BigEndian
    case "windows-1252", "windows1252", "cp1252", "cp-1252", "1252": self = .windows1252
    case "iso-8859-1", "iso8859-1", "latin-1", "latin1": self = .latin1
    default: return nil
    }
  }

  /// The names that a person may write.
  package static let names = allCases.map(\.rawValue)

  /// The encoding of a byte order mark, and the mark's length.
  static func mark(_ bytes: UnsafeRawBufferPointer) -> (encoding: TextEncoding, length: Int)? {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
    if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
    if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
    return nil
  }

  /// How many bytes of the document some UTF-8 was.
  func storedLength(of text: UnsafeRawBufferPointer) -> Int {
    switch self {
    case .utf8: text.count
    case .windows1252, .latin1: text.count { $0 & 0xC0 != 0x80 }
    case .utf16LittleEndian, .utf16BigEndian:
      text.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : $1 >= 0xF0 ? 4 : 2) }
    }
  }

  /// The scalar of a byte of windows-1252; nil if the byte is one of the five that have none.
  static func windows1252(_ byte: UInt8) -> UInt16? {
    guard 0x80..<0xA0 ~= byte else { return UInt16(byte) }
    let scalar = windows1252Scalars[Int(byte - 0x80)]
    return scalar == 0 ? nil : scalar
  }

  private static let windows1252Scalars: [UInt16] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0, 0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC,
    0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
  ]
}

/// Decodes a text piece by piece to UTF-8.
struct TextDecoder {
  let encoding: TextEncoding
  /// Bytes of a character that its piece did not complete.
  private var pending: [UInt8] = []
  /// Bytes of the document that were decoded.
  private var count = 0

  /// A byte at which the text goes wrong.
  struct Fault: Error {
    var offset: Int
    var message: String
    var advice: String
  }

  init(_ encoding: TextEncoding, after count: Int) {
    self.encoding = encoding
    self.count = count
  }

  /// How many bytes of UTF-8 a byte of the document becomes at most.
  static let expansion = 3

  /// Decodes a piece; there is room for `expansion` bytes for each byte of it and of four more.
  ///
  /// - Returns: how many bytes of UTF-8 were written.
  mutating func decode(
    _ piece: UnsafeRawBufferPointer, isLast: Bool, into text: UnsafeMutableRawPointer
  ) throws(Fault) -> Int {
    var end = 0
    func put(_ scalar: UInt32) {
      func byte(_ value: UInt32) {
        text.storeBytes(of: UInt8(truncatingIfNeeded: value), toByteOffset: end, as: UInt8.self)
        end += 1
      }
      if scalar < 0x80 { return byte(scalar) }
      if scalar < 0x800 {
        byte(0xC0 | scalar >> 6)
      } else {
        if scalar < 0x10000 {
          byte(0xE0 | scalar >> 12)
        } else {
          byte(0xF0 | scalar >> 18)
          byte(0x80 | scalar >> 12 & 0x3F)
        }
        byte(0x80 | scalar >> 6 & 0x3F)
      }
      byte(0x80 | scalar & 0x3F)
    }
    switch encoding {
    case .utf8: preconditionFailure("UTF-8 is not decoded")
    case .latin1:
      for byte in piece { put(UInt32(byte)) }
      count += piece.count
    case .windows1252:
      for byte in piece {
        guard let scalar = TextEncoding.windows1252(byte) else {
          throw Fault(
            offset: count,
            message: "byte 0x\(String(byte, radix: 16)) has no character in windows-1252",
            advice: "name the document's encoding")
        }
        put(UInt32(scalar))
        count += 1
      }
    case .utf16LittleEndian, .utf16BigEndian:
      let bytes = pending + piece
      var index = 0
      while index + 1 < bytes.count {
        let unit = unit(bytes, index)
        guard 0xD800...0xDFFF ~= unit else {
          put(unit)
          index += 2
          continue
        }
        if unit < 0xDC00, index + 3 >= bytes.count, !isLast { break }
        guard unit < 0xDC00, index + 3 < bytes.count, case let low = self.unit(bytes, index + 2),
          0xDC00...0xDFFF ~= low
        else {
          throw Fault(
            offset: count + index, message: "this is half of a surrogate pair",
            advice: "export the document again, as UTF-8")
        }
        put(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        index += 4
      }
      pending = Array(bytes[index...])
      count += index
      if isLast, !pending.isEmpty {
        throw Fault(
          offset: count, message: "the document ends in the middle of a character of UTF-16",
          advice: "it may have been cut short")
      }
    }
    return end
  }

  private func unit(_ bytes: [UInt8], _ index: Int) -> UInt32 {
    let (first, second) = (UInt32(bytes[index]), UInt32(bytes[index + 1]))
    return encoding == .utf16LittleEndian ? second << 8 | first : first << 8 | second
  }
}
