/// What a person typed into a search field, as terms that must all be found.
///
/// There is no query language: no input is an error, and nothing in it is an operator.
public struct SearchQuery: Hashable, Sendable {
  /// Something that must be found: any of its phrases.
  public struct Term: Hashable, Sendable {
    /// Words that must stand next to each other; the last may be the beginning of one where
    /// `isPrefix`.
    public let phrases: [[String]]
    public let isPrefix: Bool

    /// The term in the language of FTS5, for an index with `FullTextTokenizer.words`. Words are quoted: nothing in them is
    /// an operator.
    public var match: String { SearchQuery.match(phrases, isPrefix: isPrefix) }
  }

  public let terms: [Term]
  /// Nothing but white space was typed: everything is found.
  public let isBlank: Bool
  /// The query as one folded text, to compare with whole titles.
  public let words: String

  /// Terms beyond these, and words of a phrase beyond these, do not count: no title is that long.
  package static let termLimit = 64
  package static let phraseLimit = 256

  public init(_ text: String) {
    isBlank = TextRules.isBlank(text)
    let chunks = SearchChunk.all(of: text)
    let spoken = chunks.filter { !$0.words.isEmpty }
    // Punctuation that stands alone counts only if there is nothing else: `rock - live`.
    let phrases: [[[String]]] =
      spoken.isEmpty
      ? chunks.compactMap(\.punctuation).map { [[$0]] }
      : spoken.map { chunk in
        ([chunk.words] + [chunk.joined.map { [$0] }, chunk.parted].compactMap { $0 })
          .map { Array($0.prefix(Self.phraseLimit)) }
      }
    let counted = phrases.prefix(Self.termLimit)
    terms = counted.enumerated().map { index, phrases in
      Term(phrases: phrases, isPrefix: index == counted.count - 1)
    }
    words = SearchText(text).words
  }
}

extension SearchQuery {
  package static func match(_ phrases: [[String]], isPrefix: Bool) -> String {
    phrases.map { phrase in
      let text = phrase.joined(separator: " ").replacing(scalar: "\"", with: "\"\"")
      return "\"\(text)\"" + (isPrefix ? " *" : "")
    }.joined(separator: " OR ")
  }

  /// Finds the words that may have been meant by a query without results: each word that no text has is the nearest word
  /// that some text has.
  ///
  /// - Parameter texts: words parted by spaces, as `SearchText` has them.
  /// - Returns: nil if each word is known, or one is like no other word.
  public func nearMiss(in texts: some Sequence<String>) -> String? {
    var known: Set<String> = []
    for text in texts { known.formUnion(text.split(separator: " ").map(String.init)) }
    var words = self.words.split(separator: " ").map(String.init)
    var isChanged = false
    for (place, word) in words.enumerated() where !known.contains(word) {
      // Names of two letters are all alike. The last word may be the beginning of one.
      let isBeginning = place == words.count - 1 && known.contains { $0.hasPrefix(word) }
      if isBeginning { continue }
      guard word.unicodeScalars.count > 2,
        let near = NearMiss.find(
          word, among: known.filter { abs($0.utf8.count - word.utf8.count) <= 3 }.sorted())
      else { return nil }
      words[place] = near
      isChanged = true
    }
    return isChanged ? words.joined(separator: " ") : nil
  }
}
