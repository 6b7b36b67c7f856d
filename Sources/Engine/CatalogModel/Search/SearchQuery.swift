/// What a person typed into a search field, as terms that must all be found.
///
/// There is no query language: no input is an error, and nothing in it is an operator.
package struct SearchQuery: Hashable, Sendable {
  /// Something that must be found: any of its phrases.
  package struct Term: Hashable, Sendable {
    /// Words that must stand next to each other; the last may be the beginning of one where
    /// `isPrefix`.
    package let phrases: [[String]]
    package let isPrefix: Bool
  }

  package let terms: [Term]
  /// Nothing but white space was typed: everything is found.
  package let isBlank: Bool
  /// The query as one folded text, to compare with whole titles.
  package let words: String

  /// Terms beyond these, and words of a phrase beyond these, do not count: no title is that long.
  package static let termLimit = 64
  package static let phraseLimit = 256

  package init(_ text: String) {
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
