/// An ETag that says that two representations are the same to the byte (RFC 9110 8.8.3).
///
/// Weak ones say less, and may not stand in If-Range.
struct StrongEntityTag: Hashable, Sendable {
  /// With its quotes.
  let text: String

  /// Nil for a weak tag, and for what is none.
  init?(_ text: String?) {
    guard let text, text.utf8.count >= 2, text.utf8.count <= 512, text.hasPrefix("\""),
      text.hasSuffix("\""),
      text.utf8.dropFirst().dropLast().allSatisfy({ $0 > 0x20 && $0 != 0x22 && $0 != 0x7F })
    else { return nil }
    self.text = text
  }
}
