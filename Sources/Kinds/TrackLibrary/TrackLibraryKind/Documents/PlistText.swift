/// The text of a property list in XML.
enum PlistText {
  /// A list in which each date and number that is none is a text: then it is one value that cannot be used, and not
  /// a whole document. Lines stay as they are, and so does everything else.
  static func repaired(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.prefix(512).contains(UInt8(ascii: "<")) else { return bytes }
    var repaired: [UInt8] = []
    var copied = 0
    var place = 0
    while let open = bytes[place...].firstIndex(of: UInt8(ascii: "<")) {
      place = open + 1
      guard
        let sort = sorts.first(where: { bytes[place...].starts(with: $0.tag) }),
        let end = bytes[place...].firstIndex(of: UInt8(ascii: "<"))
      else { continue }
      let start = place + sort.tag.count
      let close = [UInt8(ascii: "<"), UInt8(ascii: "/")] + sort.tag
      guard start <= end, bytes[end...].starts(with: close), !sort.isValid(bytes[start..<end])
      else { continue }
      repaired += bytes[copied..<open]
      repaired += Array("<string>".utf8) + bytes[start..<end] + Array("</string>".utf8)
      copied = end + close.count
      place = copied
    }
    return copied == 0 ? bytes : repaired + bytes[copied...]
  }

  private static let sorts: [(tag: [UInt8], isValid: @Sendable (ArraySlice<UInt8>) -> Bool)] = [
    (Array("date>".utf8), isDate), (Array("integer>".utf8), isInteger),
    (Array("real>".utf8), { Double(String(decoding: $0, as: UTF8.self)) != nil }),
  ]

  /// `2012-01-31T12:00:00Z`: the only form that the format has.
  private static func isDate(_ text: ArraySlice<UInt8>) -> Bool {
    let form = Array("0000-00-00T00:00:00Z".utf8)
    return text.count == form.count
      && zip(text, form).allSatisfy { byte, wanted in
        wanted == UInt8(ascii: "0")
          ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) : byte == wanted
      }
  }

  /// Decimal or, after `0x`, hexadecimal digits, of at most 64 bits.
  private static func isInteger(_ text: ArraySlice<UInt8>) -> Bool {
    let text = String(decoding: text, as: UTF8.self).lowercased()
    if text.hasPrefix("0x") { return UInt64(text.dropFirst(2), radix: 16) != nil }
    return Int64(text) != nil || UInt64(text) != nil
  }
}
