import CatalogModel

/// A statement's words and marks, without white space and comments. Strings and quoted names are one
/// token each, quotes and all: none of them is a word.
package struct SQLTokens {
  private var bytes: ArraySlice<UInt8>

  init(_ sql: String) {
    bytes = Array(sql.utf8)[...]
  }

  var rest: String { String(decoding: bytes, as: UTF8.self) }

  mutating func next() -> String? {
    skipBlanks()
    guard let first = bytes.first else { return nil }
    let start = bytes
    if let end = Self.quotes[first] {
      bytes.removeFirst()
      while let byte = bytes.popFirst(), byte != end {}
    } else if Self.isWord(first) {
      bytes = bytes.drop(while: Self.isWord)
    } else {
      bytes.removeFirst()
    }
    return String(decoding: start[..<bytes.startIndex], as: UTF8.self)
  }

  /// A statement that returns one row: how many rows another one returns.
  ///
  /// - Parameter sql: one statement, which may end with semicolons and comments.
  package static func count(ofRowsOf sql: String) -> String {
    var tokens = SQLTokens(sql)
    // The end of the last word or mark that is not a semicolon.
    var end = 0
    while let token = tokens.next() {
      if token != ";" { end = sql.utf8.count - tokens.bytes.count }
    }
    let statement = String(decoding: sql.utf8.prefix(end), as: UTF8.self)
    return "SELECT count(*) FROM (\(statement))"
  }

  private mutating func skipBlanks() {
    while let first = bytes.first {
      if Self.blanks.contains(first) {
        bytes.removeFirst()
      } else if bytes.starts(with: "--".utf8) {
        bytes = bytes.drop { $0 != UInt8(ascii: "\n") }
      } else if bytes.starts(with: "/*".utf8) {
        bytes = bytes.dropFirst(2)
        while !bytes.isEmpty, !bytes.starts(with: "*/".utf8) { bytes.removeFirst() }
        bytes = bytes.dropFirst(2)
      } else if bytes.starts(with: "\u{FEFF}".utf8) {
        bytes = bytes.dropFirst(3)
      } else {
        return
      }
    }
  }

  private static let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0C, 0x0D]
  private static let quotes: [UInt8: UInt8] = [
    UInt8(ascii: "'"): UInt8(ascii: "'"), UInt8(ascii: "\""): UInt8(ascii: "\""),
    UInt8(ascii: "`"): UInt8(ascii: "`"), UInt8(ascii: "["): UInt8(ascii: "]"),
  ]

  static func isWord(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || byte >= 0x80 || "_$".utf8.contains(byte)
  }
}
