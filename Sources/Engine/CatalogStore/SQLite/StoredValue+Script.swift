import CatalogModel

extension StoredValue {
  /// The value in SQL, in one line, so that each version of SQLite reads exactly this value.
  ///
  /// `description` is for people. SQLite can read the decimal digits of a number as the number beside it; it ends a statement at
  /// U+0000, and the program `sqlite3` removes a carriage return before a line feed.
  package var scriptLiteral: String {
    switch self {
    case .real(let real): Self.exact(real)
    case .text(let text): Self.oneLine(text)
    case .null, .integer, .malformed, .blob: description
    }
  }

  // MARK: Texts

  /// Characters that a statement of one line cannot have, and the marks that replace them.
  private static let controls: [(character: Unicode.Scalar, mark: String)] = [
    ("\n", "\\n"), ("\r", "\\r"), ("\0", "\\0"),
  ]

  private static func oneLine(_ text: String) -> String {
    var text = text
    var calls: [(mark: String, code: UInt32)] = []
    for (character, mark) in controls where text.unicodeScalars.contains(character) {
      // A mark is a text that is not in the value.
      var mark = mark
      while text.utf8.contains(mark.utf8) { mark = "\\" + mark }
      text = text.replacing(scalar: character, with: mark)
      calls.append((mark, character.value))
    }
    var literal = StoredValue.text(text).description
    // The last mark that was put in is taken out first: it can be around an earlier one.
    for call in calls.reversed() {
      literal = "replace(\(literal), '\(call.mark)', char(\(call.code)))"
    }
    return literal
  }

  // MARK: Numbers

  /// SQLite rounds some decimal fractions to the number beside the nearest one. It divides exactly.
  private static func exact(_ real: Double) -> String {
    if real.isInfinite { return real < 0 ? "-9e999" : "9e999" }
    if real == 0 { return real.sign == .minus ? "-0.0" : "0.0" }
    if real == real.rounded(), abs(real) < 0x1p53 { return "\(Int64(real)).0" }
    return decimal(real) ?? binary(real)
  }

  /// `17.25`, which is exact in binary, or `(173/10.0)`; nil if the number has too many digits.
  private static func decimal(_ real: Double) -> String? {
    let text = real.description
    let parts = text.split(separator: ".", maxSplits: 1)
    guard parts.count == 2, parts[1].count <= 15, let digits = Int64(parts.joined()),
      abs(digits) <= 1 << 53
    else { return nil }
    let divisor = (0..<parts[1].count).reduce(Int64(1)) { power, _ in power * 5 }
    if digits % divisor == 0 { return text }
    return "(\(digits)/1\(String(repeating: "0", count: parts[1].count)).0)"
  }

  /// A whole number times or by powers of two, none of which has to be rounded.
  private static func binary(_ real: Double) -> String {
    var number = Int64(real.significand * 0x1p52)
    var exponent = Int(real.exponent) - 52
    while number % 2 == 0 {
      number /= 2
      exponent += 1
    }
    var text = "(\(real < 0 ? "-" : "")\(number)"
    let sign = exponent < 0 ? "/" : "*"
    var rest = abs(exponent)
    while rest > 0 {
      let step = min(rest, 52)
      text += "\(sign)\(Int64(1) << step).0"
      rest -= step
    }
    return text + (exponent == 0 ? ".0)" : ")")
  }
}
