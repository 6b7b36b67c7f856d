/// What texts from outside must be like, and the form in which the catalog keeps them.
///
/// Seeds, manifests and people all go through here, so that one spelling means one thing. Every
/// result is NFC and free of U+0000.
public enum TextRules {
  /// UTF-8 bytes of a tag name, a playlist id or another short name.
  public static let nameLimit = 1_024
  /// UTF-8 bytes of a title, a subtitle, a description or an address.
  public static let textLimit = 65_536
  /// Characters of a seed id.
  package static let seedIDLimit = 64

  /// A text that is kept verbatim after NFC and must say something.
  package static func title(_ text: String) throws(TextProblem) -> String {
    let text = try verbatim(text)
    if isBlank(text) { throw .blank }
    return text
  }

  /// A text that is kept verbatim after NFC and may be empty.
  ///
  /// - Throws: `TextProblem` if it has more than `textLimit` bytes, or U+0000.
  public static func verbatim(_ text: String) throws(TextProblem) -> String {
    try checked(text, limit: textLimit)
  }

  /// A short text without a rule for its spelling that must say something: a playlist id.
  ///
  /// - Throws: `TextProblem` if it is blank, has more than `nameLimit` bytes, or U+0000.
  public static func name(_ text: String) throws(TextProblem) -> String {
    let text = try checked(text, limit: nameLimit)
    if isBlank(text) { throw .blank }
    return text
  }

  /// The name of a tag value: trimmed, inner runs of white space folded to one space, NFC, otherwise
  /// verbatim. White space is Unicode's White_Space property.
  ///
  /// - Throws: `TextProblem`, as `name`.
  public static func tagName(_ text: String) throws(TextProblem) -> String {
    let folded = folded(NormalForm.nfc(text))
    if folded.isEmpty { throw .blank }
    return try checked(folded, limit: nameLimit)
  }

  /// The id of a seed: ASCII letters, digits, `-`, `_` and `.`, 1 to 64 of them. It stands in `by`
  /// and `source` of events.
  package static func seedID(_ text: String) throws(TextProblem) -> String {
    if text.isEmpty { throw .blank }
    let isPlain = text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_.".utf8.contains($0) }
    guard isPlain, text.utf8.count <= seedIDLimit else { throw .malformedSeedID }
    return text
  }

  /// Holds a text to a rule, with an error of the caller's for a text that it refuses.
  ///
  /// ```swift
  /// let name = try TextRules.apply(TextRules.name, to: text) { ShelfError($0.sentence(of: text)) }
  /// ```
  public static func apply<Value, Failure: Error>(
    _ rule: (String) throws(TextProblem) -> Value, to text: String,
    orThrow failure: (TextProblem) -> Failure
  ) throws(Failure) -> Value {
    do throws(TextProblem) {
      return try rule(text)
    } catch {
      throw failure(error)
    }
  }

  /// Whether a text is empty or only white space.
  public static func isBlank(_ text: String) -> Bool {
    // Most texts start with a letter, and looking up properties is slow.
    if let first = text.utf8.first, first > 0x20, first < 0x7F { return false }
    return text.unicodeScalars.allSatisfy(\.properties.isWhitespace)
  }

  private static func checked(_ text: String, limit: Int) throws(TextProblem) -> String {
    var text = NormalForm.nfc(text)
    if text.utf8.count > limit { throw .tooLong(bytes: text.utf8.count, limit: limit) }
    if text.withUTF8({ $0.contains(0) }) { throw .containsNull }
    return text
  }

  private static func folded(_ text: String) -> String {
    if isFolded(text) { return text }
    var scalars = String.UnicodeScalarView()
    var isSpacePending = false
    for scalar in text.unicodeScalars {
      if scalar.properties.isWhitespace {
        isSpacePending = !scalars.isEmpty
      } else {
        if isSpacePending { scalars.append(" ") }
        isSpacePending = false
        scalars.append(scalar)
      }
    }
    return String(scalars)
  }

  /// Whether folding would change nothing, for ASCII texts; any other text is folded to find out.
  private static func isFolded(_ text: String) -> Bool {
    var wasSpace = true
    for byte in text.utf8 {
      let isSpace = byte == 0x20
      if byte >= 0x80 || isSpace && wasSpace || byte < 0x20 { return false }
      wasSpace = isSpace
    }
    return !wasSpace
  }
}

/// Why a text was refused. An error message quotes the text, and continues with `message` and `advice`:
/// `"" is blank; write some text`.
public enum TextProblem: Error, Hashable, Sendable {
  case blank
  case tooLong(bytes: Int, limit: Int)
  case containsNull
  case malformedSeedID
  case malformedURL
  case spaceInURL
  case unsafeURL

  /// Continues the offending value: "is blank".
  public var message: String {
    switch self {
    case .blank: "is blank"
    case .tooLong(let bytes, _): "is too long: \(bytes) bytes"
    case .containsNull: "holds U+0000"
    case .malformedSeedID: "is not a seed id"
    case .malformedURL: "is not an absolute http or https address"
    case .spaceInURL: "has a space"
    case .unsafeURL: "is not a safe https address"
    }
  }

  /// What to do about it: "write some text".
  public var advice: String {
    switch self {
    case .blank: "write some text"
    case .tooLong(_, let limit): "the limit is \(limit) bytes of UTF-8"
    case .containsNull: "take it out"
    case .malformedSeedID:
      "write 1 to \(TextRules.seedIDLimit) of: letters A to Z and a to z, digits, - _ ."
    case .malformedURL: "write it like https://example.com/pack.json"
    case .spaceInURL: "write %20"
    case .unsafeURL:
      "write https://…, without user:password@; http is allowed for this machine only"
    }
  }

  /// Quotes a text, and says what is wrong with it and what to do about it: `"" is blank; write some text`.
  public func sentence(of text: String) -> String {
    "\"\(JSONExcerpt.printable(text))\" \(message); \(advice)"
  }
}
