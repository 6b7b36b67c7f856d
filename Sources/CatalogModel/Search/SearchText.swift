/// A text as the full-text index holds it.
///
/// SQLite's own tokenizer misses `strasse` for "Straße", `heros` for "Hero’s" and `林` for "小林", and
/// knows no `C++`. So texts are folded and taken apart here, the same on every platform, and SQLite
/// only has to part at spaces.
package struct SearchText: Hashable, Sendable {
  /// The folded words, in order, one space between them. Also the key by which titles are sorted.
  package let words: String
  /// Other forms of these words, one space between them.
  package let variants: String

  package init(_ text: String) {
    var words: [String] = []
    var variants: [String] = []
    for chunk in SearchChunk.all(of: text) {
      words += chunk.words
      variants += chunk.variants
    }
    self.words = words.joined(separator: " ")
    self.variants = variants.joined(separator: " ")
  }

  /// Words and variants in one text.
  package var all: String {
    variants.isEmpty ? words : words.isEmpty ? variants : words + " " + variants
  }
}
