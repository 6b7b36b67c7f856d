/// Characters that would steer a terminal, break a line, or turn around what stands beside them.
///
/// Whatever is shown to a person, and whatever is written as JSON for one to look at, goes through here.
package enum TerminalControlCharacters {
  /// The controls of C0 and C1, the separators of lines and paragraphs, and what sets a direction.
  package static func contains(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0: true
    case 0x2028, 0x2029: true
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Text as it may be shown: each such character is written as `\u{202e}`.
  ///
  /// - Parameter keepingLines: leaves line feeds as they are.
  package static func escaped(_ text: String, keepingLines: Bool = false) -> String {
    replaced(text, keepingLines: keepingLines) { "\\u{\(String($0.value, radix: 16))}" }
  }

  /// JSON of the same value: each such character of a string is written as `\u202e`. Line feeds between
  /// the parts of a document stay; in a string no JSON has them.
  package static func escaped(json text: String) -> String {
    replaced(text, keepingLines: true) { scalar in
      let digits = String(scalar.value, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }

  private static func replaced(
    _ text: String, keepingLines: Bool, by escape: (Unicode.Scalar) -> String
  ) -> String {
    func isToReplace(_ scalar: Unicode.Scalar) -> Bool {
      contains(scalar) && !(keepingLines && scalar == "\n")
    }
    guard text.unicodeScalars.contains(where: isToReplace) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isToReplace(scalar) {
        result += escape(scalar)
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
