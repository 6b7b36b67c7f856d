import CatalogEngine

/// The text of a property list in XML.
enum PlistText {
  /// A list in which each date and number that is not one is a text: then it is one value that cannot be used, and not a
  /// whole document. Lines stay as they are, and so does everything else; UTF-16 becomes UTF-8.
  static func repaired(_ bytes: [UInt8], file: String) throws(DocumentError) -> [UInt8] {
    guard bytes.prefix(512).contains(UInt8(ascii: "<")) else { return bytes }
    var bytes = bytes
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      bytes = try DocumentText.utf8(bytes, file: file)
      // It says that it is UTF-16.
      if bytes.starts(with: "<?xml".utf8), let end = bytes.firstIndex(of: UInt8(ascii: ">")) {
        bytes.removeSubrange(...end)
      }
    }
    var repaired: [UInt8] = []
    var copied = 0
    var place = 0
    while let open = bytes[place...].firstIndex(of: UInt8(ascii: "<")) {
      place = open + 1
      // Most elements are others.
      guard place < bytes.count, firstLetters.contains(bytes[place]) else { continue }
      guard
        let sort = sorts.first(where: { bytes[place...].starts(with: $0.tag.utf8) }),
        let element = element(sort.tag, in: bytes, at: place)
      else { continue }
      let text = String(decoding: bytes[element.text], as: UTF8.self)
      guard element.isEmpty || !sort.isValid(text) else { continue }
      let trimmed = text.trimmed()
      let tag = !element.isEmpty && sort.isValid(trimmed) ? sort.tag : "string"
      repaired += bytes[copied..<open] + Array("<\(tag)>\(trimmed)</\(tag)>".utf8)
      copied = element.end
      place = copied
    }
    return copied == 0 ? bytes : repaired + bytes[copied...]
  }

  /// The text of an element whose name begins at a place, and its end; nil if it has another name or holds elements.
  private static func element(
    _ tag: String, in bytes: [UInt8], at place: Int
  ) -> (text: Range<Int>, end: Int, isEmpty: Bool)? {
    let start = place + tag.utf8.count
    let rest = bytes[start...].drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    if rest.starts(with: "/>".utf8) { return (start..<start, rest.startIndex + 2, true) }
    guard rest.first == UInt8(ascii: ">") else { return nil }
    let text = rest.startIndex + 1
    guard let end = bytes[text...].firstIndex(of: UInt8(ascii: "<")),
      bytes[end...].starts(with: "</\(tag)>".utf8)
    else { return nil }
    return (text..<end, end + tag.utf8.count + 3, false)
  }

  private static let firstLetters = [UInt8(ascii: "d"), UInt8(ascii: "i"), UInt8(ascii: "r")]

  private static let sorts: [(tag: String, isValid: @Sendable (String) -> Bool)] = [
    ("date", isDate), ("integer", isInteger), ("real", { Double($0) != nil }),
    ("data", { _ in true }),
  ]

  /// `2012-01-31T12:00:00Z`, the only form that the format has, of a day that there is.
  private static func isDate(_ text: String) -> Bool {
    text.utf8.count == 20 && text.hasSuffix("Z") && Timestamp(text) != nil
  }

  /// Decimal or, after `0x`, hexadecimal digits, of at most 64 bits.
  private static func isInteger(_ text: String) -> Bool {
    let text = text.lowercased()
    if text.hasPrefix("0x") { return UInt64(text.dropFirst(2), radix: 16) != nil }
    return Int64(text) != nil || UInt64(text) != nil
  }
}
