extension TextRules {
  /// An absolute http or https address with a host, kept verbatim after NFC.
  ///
  /// A light check that catches typing mistakes before they are logged; whether the address can be
  /// fetched is for the download to find out.
  package static func webAddress(_ text: String) throws(TextProblem) -> String {
    let text = try title(text)
    var rest = text.utf8[...]
    guard let scheme = ["https://", "http://"].first(where: { starts(rest, with: $0) }) else {
      throw .malformedURL
    }
    let hasGap = text.unicodeScalars.contains {
      $0.properties.isWhitespace || $0.properties.generalCategory == .control || $0 == "\\"
    }
    if text.contains(" ") { throw .spaceInURL }
    if hasGap { throw .malformedURL }
    rest = rest.dropFirst(scheme.utf8.count)
    var authority = rest.prefix {
      $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
    }
    if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
      authority = authority[authority.index(after: at)...]
    }
    guard hasHost(authority) else { throw .malformedURL }
    return text
  }

  /// `host`, `host:80` or `[::1]:80`.
  private static func hasHost(_ authority: Substring.UTF8View) -> Bool {
    var port = authority
    if authority.first == UInt8(ascii: "[") {
      guard let close = authority.firstIndex(of: UInt8(ascii: "]")),
        authority.distance(from: authority.startIndex, to: close) > 2
      else { return false }
      port = authority[authority.index(after: close)...]
    } else {
      let host = authority.prefix { $0 != UInt8(ascii: ":") }
      if host.isEmpty { return false }
      port = authority[host.endIndex...]
    }
    if port.isEmpty { return true }
    guard port.first == UInt8(ascii: ":") else { return false }
    let digits = port.dropFirst()
    return digits.count <= 5
      && digits.allSatisfy(\.isASCIIDigit)
      && (digits.isEmpty || UInt16(String(decoding: digits, as: UTF8.self)) != nil)
  }

  private static func starts(_ text: Substring.UTF8View, with scheme: String) -> Bool {
    text.count > scheme.utf8.count
      && zip(text, scheme.utf8).allSatisfy { byte, wanted in
        byte == wanted || (UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte && byte | 0x20 == wanted)
      }
  }
}
