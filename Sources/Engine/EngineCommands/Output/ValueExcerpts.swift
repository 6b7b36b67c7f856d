import CatalogModel
package import CatalogStore
import Support

/// Writes values into a line of text: short ones whole, and of long ones an excerpt with their length.
package struct ValueExcerpts {
  /// Whether all values are written whole.
  let isWhole: Bool
  /// How many values were cut.
  private(set) var cut = 0

  /// Longer texts are cut, in Unicode scalars.
  static let longest = 80
  /// The most scalars of an excerpt.
  static let excerpt = 60
  /// Longer blobs are cut, in bytes.
  static let longestBlob = 40

  package init(isWhole: Bool) {
    self.isWhole = isWhole
  }

  package mutating func text(_ value: StoredValue) -> String { text(value, from: 0) }

  /// `'old' → 'new'`; excerpts begin shortly before the first difference.
  package mutating func change(from old: StoredValue, to new: StoredValue) -> String {
    var start = 0
    if !isWhole, case .text(let before) = old, case .text(let after) = new,
      Self.isLong(before) || Self.isLong(after)
    {
      start = Self.start(before, after)
    }
    return "\(text(old, from: start)) → \(text(new, from: start))"
  }

  /// - Parameter start: the character with which an excerpt begins.
  private mutating func text(_ value: StoredValue, from start: Int) -> String {
    guard !isWhole else { return value.description }
    switch value {
    case .text(let text) where Self.isLong(text):
      cut += 1
      let beginning = start > 0 && start < text.count ? "…" : ""
      let rest = beginning.isEmpty ? text[...] : text.dropFirst(start)
      let words = Self.words(rest)
      let end = words.endIndex < text.endIndex ? "…" : ""
      return StoredValue.text(beginning + words + end).description
        + " (\(Count.of(text.count, "character")))"
    case .blob(let bytes) where bytes.count > Self.longestBlob:
      cut += 1
      return "x'\(Hex.string(bytes.prefix(Self.longestBlob / 2)))…' "
        + "(\(Count.of(bytes.count, "byte")))"
    case .malformed(let bytes) where bytes.count > Self.longestBlob:
      cut += 1
      return "CAST(x'\(Hex.string(bytes.prefix(Self.longestBlob / 2)))…' AS TEXT) "
        + "(\(Count.of(bytes.count, "byte")))"
    case .null, .integer, .real, .text, .blob, .malformed: return value.description
    }
  }

  private static func isLong(_ text: String) -> Bool {
    text.utf8.count > longest && text.unicodeScalars.count > longest
  }

  /// The beginning of a text, up to the end of a word, or of a character in a word that is long itself.
  private static func words(_ text: Substring) -> Substring {
    var end = text.startIndex
    var wordEnd: Substring.Index?
    var scalars = 0
    for place in text.indices {
      let character = text[place]
      scalars += character.unicodeScalars.count
      guard scalars <= excerpt else {
        // A character of very many scalars is cut within.
        if end == text.startIndex {
          end = text.unicodeScalars.index(end, offsetBy: excerpt, limitedBy: text.endIndex) ?? end
        }
        return text[..<(wordEnd ?? end)]
      }
      if character.isWhitespace, scalars > excerpt / 2 { wordEnd = place }
      end = text.index(after: place)
    }
    return text
  }

  /// The character with which the excerpts of two texts begin: the first word shortly before they differ; 0 if they do so
  /// in the excerpts of their beginnings.
  private static func start(_ old: String, _ new: String) -> Int {
    var same = 0
    var scalars = 0
    var words: [Int] = []
    // By bytes: texts that are canonically equivalent differ.
    for (left, right) in zip(old, new) {
      guard left.utf8.elementsEqual(right.utf8) else { break }
      same += 1
      scalars += left.unicodeScalars.count
      if left.isWhitespace { words.append(same) }
      if words.count > 8 { words.removeFirst() }
    }
    guard scalars > excerpt / 2 else { return 0 }
    return words.first { $0 >= same - excerpt / 3 } ?? max(0, same - excerpt / 3)
  }
}
