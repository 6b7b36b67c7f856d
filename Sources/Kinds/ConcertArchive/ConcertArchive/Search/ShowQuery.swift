import CatalogEngine
import CatalogModel

/// What a person typed into a search field, as queries of the two full-text indexes.
///
/// No input is an error, and nothing in it is an operator: every word is quoted. Days and months are found in each usual
/// spelling (`QueryDate`), although the texts have few of them.
struct ShowQuery {
  /// Of `show_search`, where `5-8-77` is one word; nil if there is nothing to find.
  let exact: String?
  /// Of `projection_show_words`, where marks part words or are left out.
  let words: String?

  init(_ text: String) {
    var rest = Self.words(of: text)
    var terms: [ShowQueryTerm] = []
    while !rest.isEmpty {
      if let (date, count) = QueryDate.beginning(of: rest) {
        terms.append(ShowQueryTerm(date, typed: count == 1 ? rest[0] : nil))
        rest.removeFirst(count)
      } else {
        terms.append(ShowQueryTerm(word: rest.removeFirst()))
      }
    }
    // The country, if nothing else is asked for: in other queries it is a word, as in `us blues`.
    if terms.count == 1, StateNames.key(text) == "us" {
      terms = [ShowQueryTerm(anyOf: ["us", "usa"])]
    }
    exact = terms.isEmpty ? nil : terms.map(\.exact).joined(separator: " AND ")
    let found = terms.compactMap(\.words)
    words = found.isEmpty ? exact : found.joined(separator: " AND ")
  }

  /// More words than anybody types do not count.
  private static let wordLimit = 32

  private static func words(of text: String) -> [String] {
    let words = folded(text).split(whereSeparator: \.isWhitespace).map(String.init)
      .filter { $0.unicodeScalars.contains { $0.properties.isAlphabetic || ("0"..."9") ~= $0 } }
    return Array(words.prefix(wordLimit))
  }

  /// Dashes, slashes and apostrophes that smart punctuation made are plain ones.
  private static func folded(_ text: String) -> String {
    var folded = String.UnicodeScalarView()
    for scalar in NormalForm.nfc(text).unicodeScalars {
      switch scalar {
      case "\u{2010}"..."\u{2015}", "\u{2212}", "\u{FE58}", "\u{FE63}", "\u{FF0D}":
        folded.append("-")
      case "\u{2044}", "\u{2215}", "\u{FF0F}": folded.append("/")
      case "\u{2018}", "\u{2019}", "\u{2032}": folded.append("'")
      // SQLite ends a text there.
      case "\0": folded.append(" ")
      default: folded.append(scalar)
      }
    }
    return String(folded)
  }
}

/// A word or a date that a show must have, as both indexes find it.
struct ShowQueryTerm {
  let exact: String
  /// Nil if nothing of the word is in any text.
  let words: String?

  /// - Parameter typed: the one word that is the date.
  init(_ date: QueryDate, typed: String?) {
    switch date {
    case .day(let text), .shortDay(let text):
      exact = Self.phrase(text)
      words = exact
    case .month(let month):
      exact = Self.phrase(month, isPrefix: true)
      words = exact
    case .shortMonth(let months):
      exact = Self.any(months.map { Self.phrase($0, isPrefix: true) })
      words = exact
    case .dayOfAnyYear(let day):
      let beginning = Self.phrase(day, isPrefix: true)
      // `9-11` is also a word of its own; slashes part words.
      let word = typed.flatMap { $0.contains("/") ? nil : Self.phrase($0) }
      exact = Self.any([beginning] + (word.map { [$0] } ?? []))
      words = beginning
    }
  }

  /// - Parameter words: of which a show must have one.
  init(anyOf words: [String]) {
    exact = Self.any(words.map { Self.phrase($0) })
    self.words = exact
  }

  /// - Parameter word: with a star at its end, the beginning of words.
  init(word: String) {
    let isPrefix = word.hasSuffix("*") && !word.hasSuffix("**")
    let stem = isPrefix ? String(word.dropLast()) : word
    exact = Self.phrase(stem, isPrefix: isPrefix)
    let terms = SearchQuery(stem).terms.map { term in
      var phrases = term.phrases.map { $0.joined(separator: " ") }
      // Dates are whole words: `1977-05*`.
      if isPrefix { phrases.append(stem) }
      return Self.any(phrases.map { Self.phrase($0, isPrefix: isPrefix) })
    }
    words = terms.isEmpty ? nil : terms.joined(separator: " AND ")
  }

  /// As FTS5 takes any text; with a star after it, all words that begin so.
  private static func phrase(_ text: String, isPrefix: Bool = false) -> String {
    "\"\(text.replacing(scalar: "\"", with: "\"\""))\"" + (isPrefix ? " *" : "")
  }

  private static func any(_ phrases: [String]) -> String {
    phrases.count == 1 ? phrases[0] : "(\(phrases.joined(separator: " OR ")))"
  }
}
