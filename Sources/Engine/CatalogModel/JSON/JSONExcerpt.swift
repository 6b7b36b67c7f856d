/// Short, printable pieces of a document for error messages.
public enum JSONExcerpt {
  /// Characters of an excerpt before it is cut.
  public static let limit = 80

  /// The token or the start of the array or object at `offset`, as it stands in the document.
  static func text(at offset: Int, in raw: UnsafeRawBufferPointer) -> String {
    let bytes = raw.bindMemory(to: UInt8.self)
    guard offset < bytes.count else { return "the end" }
    var end = offset
    switch bytes[offset] {
    case UInt8(ascii: "\""): end = JSONPath.stringEnd(in: bytes, from: offset)
    case UInt8(ascii: "{"), UInt8(ascii: "["): end = containerEnd(in: bytes, from: offset)
    default:
      while end < bytes.count, !isDelimiter(bytes[end]) { end += 1 }
      end = max(end, offset + 1)
    }
    return printable(bytes[offset..<end])
  }

  /// Bytes as text that is safe to show: at most `limit` characters, everything that does not
  /// print or would steer a terminal escaped.
  package static func printable(_ bytes: some Collection<UInt8>) -> String {
    // A scalar has at most four bytes: what is decoded is bounded before it is decoded.
    let head = bytes.prefix(limit * 4 + 4)
    var text = ""
    var count = 0
    for scalar in String(decoding: head, as: UTF8.self).unicodeScalars {
      guard count < limit else { return text + "…" }
      count += 1
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
        .paragraphSeparator:
        text += "\\u{\(String(scalar.value, radix: 16))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return head.count < bytes.count ? text + "…" : text
  }

  /// A text that is safe to show: at most `limit` characters, then `…`; what does not print or would steer a terminal
  /// is escaped, as `\u{1b}`.
  public static func printable(_ text: String) -> String {
    printable(text.utf8)
  }

  /// The words of another program, safe to show: whole ones, of at most `limit` characters together.
  public static func words(_ text: String, limit: Int = 200) -> String {
    var words = ""
    for word in text.split(separator: " ", omittingEmptySubsequences: true) {
      let shown = printable(String(word))
      guard words.count + shown.count < limit else { return words.isEmpty ? shown : words + " …" }
      words += words.isEmpty ? shown : " " + shown
    }
    return words
  }

  /// Behind the matching bracket, or far enough to be cut.
  private static func containerEnd(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var depth = 0
    var position = start
    let bound = min(bytes.count, start + limit * 4 + 8)
    while position < bound {
      switch bytes[position] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 { return position + 1 }
      case UInt8(ascii: "\""): position = JSONPath.stringEnd(in: bytes, from: position) - 1
      default: break
      }
      position += 1
    }
    return min(max(position, start + 1), bytes.count)
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}")
      || byte == UInt8(ascii: "]") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "\"")
      || byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
  }
}
