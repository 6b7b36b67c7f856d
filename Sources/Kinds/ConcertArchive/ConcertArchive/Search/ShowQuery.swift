import CatalogEngine
import CatalogModel

/// What a person typed into a search field, as queries of the two full-text indexes.
///
/// No input is an error, and nothing in it is an operator: every word is quoted. A month with a year becomes the
/// beginning of a date, since no text says "May". Dashes that smart punctuation made are plain ones.
struct ShowQuery {
  /// Of `show_search`, where `5-8-77` is one word; nil if there is nothing to find.
  let exact: String?
  /// Of `projection_show_words`.
  let words: String?

  init(_ text: String) {
    let terms = Self.terms(Self.folded(text))
    let query = terms.joined(separator: " AND ")
    exact = terms.isEmpty ? nil : query
    words = exact
  }

  // MARK: Words

  /// More words than anybody types do not count.
  private static let termLimit = 32

  private static func terms(_ text: String) -> [String] {
    var words = text.split(whereSeparator: \.isWhitespace).map(String.init)
      .filter { $0.unicodeScalars.contains { $0.properties.isAlphabetic || ("0"..."9") ~= $0 } }
    words = Array(words.prefix(termLimit))
    var terms: [String] = []
    while !words.isEmpty {
      if let (date, count) = QueryDate.beginning(of: words) {
        terms.append("\"\(date)\"" + (date.utf8.count < 10 ? " *" : ""))
        words.removeFirst(count)
      } else {
        terms.append(quoted(words.removeFirst()))
      }
    }
    return terms
  }

  /// A word as FTS5 takes any text; with a star behind it, all words that begin so.
  private static func quoted(_ word: String) -> String {
    let stem = word.hasSuffix("*") && !word.hasSuffix("**") ? String(word.dropLast()) : word
    let text = "\"\(stem.replacing("\"", with: "\"\""))\""
    return stem == word ? text : text + " *"
  }

  private static func folded(_ text: String) -> String {
    var folded = String.UnicodeScalarView()
    for scalar in NormalForm.nfc(text).unicodeScalars {
      switch scalar {
      case "\u{2010}"..."\u{2015}", "\u{2212}", "\u{FE58}", "\u{FE63}", "\u{FF0D}":
        folded.append("-")
      // SQLite ends a text there.
      case "\0": folded.append(" ")
      default: folded.append(scalar)
      }
    }
    return String(folded)
  }
}

/// Dates as people write them.
enum QueryDate {
  private static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
  ]

  /// A month and a year, with or without a day, at the beginning of words: `May 1977`, `8 May 1977`, `May 8, 1977`.
  ///
  /// - Returns: the beginning of a date, or a whole one, and how many words it was made of.
  static func beginning(of words: [String]) -> (date: String, count: Int)? {
    func word(_ place: Int) -> String { place < words.count ? words[place] : "" }
    if let month = month(word(0)), let day = day(word(1)), let year = year(word(2)) {
      return ("\(year)-\(month)-\(day)", 3)
    }
    if let day = day(word(0)), let month = month(word(1)), let year = year(word(2)) {
      return ("\(year)-\(month)-\(day)", 3)
    }
    if let month = month(word(0)), let year = year(word(1)) { return ("\(year)-\(month)", 2) }
    if let year = year(word(0)), let month = month(word(1)) { return ("\(year)-\(month)", 2) }
    return nil
  }

  private static func month(_ word: String) -> String? {
    let name = word.lowercased().trimmed(".,")
    guard name.utf8.count >= 3,
      let place = months.firstIndex(where: {
        $0 == name || name.utf8.count <= 4 && $0.hasPrefix(name)
      })
    else { return nil }
    return padded(place + 1)
  }

  private static func day(_ word: String) -> String? {
    var text = word.trimmed(",")
    for ending in ["st", "nd", "rd", "th"] where text.lowercased().hasSuffix(ending) {
      text = String(text.dropLast(2))
    }
    guard text.utf8.count <= 2, let day = Int(text), 1...31 ~= day else { return nil }
    return padded(day)
  }

  /// Four digits, or two that no day has, of the twentieth century: archives of tapes begin in it.
  private static func year(_ word: String) -> String? {
    let text = word.trimmed(",'’")
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      return nil
    }
    switch text.utf8.count {
    case 4: return text
    case 2: return text > "31" ? "19" + text : nil
    default: return nil
    }
  }

  private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension String {
  fileprivate func trimmed(_ characters: String) -> String {
    var text = self[...]
    while let last = text.last, characters.contains(last) { text.removeLast() }
    while let first = text.first, characters.contains(first) { text.removeFirst() }
    return String(text)
  }
}
