/// A number or the name of a month within a date.
enum QueryDatePart: Hashable {
  case number(Number)
  /// From 1.
  case name(Int)
  /// `19770508`.
  case compact(Number, Int, Number)
  /// The word between a day and a month.
  case of

  struct Number: Hashable {
    let value: Int
    let digits: Int
    /// Written `'77`.
    var isShortened = false

    /// Whether it can only be a year: four digits, more than any day, or an apostrophe before two digits.
    var isYearAlone: Bool {
      digits == 4 || digits == 2 && (isShortened || value == 0 || value > 31)
    }
  }

  var isName: Bool {
    if case .name = self { true } else { false }
  }

  var isLongYear: Bool {
    if case .number(let number) = self { number.digits == 4 } else { false }
  }

  var isYearAlone: Bool {
    if case .number(let number) = self { number.isYearAlone } else { false }
  }

  /// The parts of a word, which marks part: `5/8/77`, `8-May-1977`, `1977,`.
  ///
  /// - Returns: nil if there is something else in it.
  static func all(of word: String) -> [QueryDatePart]? {
    let word = word.lowercased().trimmed("()[]{};:,.!?\"")
    if word == "of" { return [.of] }
    if let compact = compact(word) { return [compact] }
    var parts: [QueryDatePart] = []
    for piece in word.split(omittingEmptySubsequences: false, whereSeparator: "-/.,".contains) {
      // `Sept.-8` has two marks in a row.
      if piece.isEmpty, !parts.isEmpty, parts[parts.count - 1].isName { continue }
      guard parts.count < 4, let part = Self.one(String(piece)) else { return nil }
      parts.append(part)
    }
    return parts
  }

  private static func one(_ text: String) -> QueryDatePart? {
    if let month = month(text) { return .name(month) }
    let digits = text.trimmed("'")
    if let number = number(digits) {
      return .number(
        Number(value: number, digits: digits.utf8.count, isShortened: text.hasPrefix("'")))
    }
    guard ["st", "nd", "rd", "th"].contains(where: text.hasSuffix),
      let day = number(String(text.dropLast(2))), 1...31 ~= day
    else { return nil }
    return .number(Number(value: day, digits: day < 10 ? 1 : 2))
  }

  private static func compact(_ word: String) -> QueryDatePart? {
    guard word.utf8.count == 8, let number = digits(word) else { return nil }
    return .compact(
      Number(value: number / 10_000, digits: 4), number / 100 % 100,
      Number(value: number % 100, digits: 2))
  }

  /// One, two or four digits.
  private static func number(_ text: String) -> Int? {
    [1, 2, 4].contains(text.utf8.count) ? digits(text) : nil
  }

  private static func digits(_ text: String) -> Int? {
    text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) ? Int(text) : nil
  }

  // MARK: Names

  private static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
  ]

  /// A name, or its first three or four letters.
  private static func month(_ text: String) -> Int? {
    guard text.utf8.count >= 3 else { return nil }
    return months.firstIndex { $0 == text || text.utf8.count <= 4 && $0.hasPrefix(text) }
      .map { $0 + 1 }
  }
}

extension String {
  fileprivate func trimmed(_ characters: String) -> String {
    var text = self[...]
    while let last = text.last, characters.contains(last) { text.removeLast() }
    while let first = text.first, characters.contains(first) { text.removeFirst() }
    return String(text)
  }
}
