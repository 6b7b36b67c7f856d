import CatalogStore

/// A form of values that SQLite can change when it stores them, by the affinity of the column:
/// <https://sqlite.org/datatype3.html>, section 3.
enum StoredForm {
  case integer
  /// 5.0, of which a column of whole numbers makes 5.
  case wholeReal
  case real
  /// A text of the characters of numbers, which may be one.
  case numericText

  /// - Returns: nil if each column stores the value as it is.
  init?(_ value: StoredValue) {
    switch value {
    case .integer: self = .integer
    case .real(let real): self = real.rounded() == real ? .wholeReal : .real
    case .text(let text):
      let digits = text.filter { !$0.isWhitespace }
      guard digits.utf8.contains(where: \.isASCIIDigit),
        digits.utf8.allSatisfy({ $0.isASCIIDigit || "+-.eE".utf8.contains($0) })
      else { return nil }
      self = .numericText
    case .null, .blob, .malformed: return nil
    }
  }

  /// Whether a column that stores one value of the form as it is does so with all of them.
  var isStoredAlike: Bool { self == .integer || self == .real }

  /// As `typeof` names it.
  var type: String {
    switch self {
    case .integer: "integer"
    case .wholeReal, .real: "real"
    case .numericText: "text"
    }
  }
}
