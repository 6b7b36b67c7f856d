/// A text as the full-text index holds it.
///
/// SQLite's own tokenizer misses `strasse` for "Straße", `heros` for "Hero’s" and `林` for "小林", and
/// knows no `C++`. So texts are folded and taken apart here, the same on every platform, and SQLite
/// only has to part at spaces.
public struct SearchText: Hashable, Sendable {
  /// The folded words, in order, one space between them. Also the key by which titles are sorted.
  public let words: String
  /// Other forms of these words, one space between them.
  public let variants: String
}

extension SearchText {
  public init(_ text: String) {
    if let words = Self.plainWords(text) {
      self.init(words: words, variants: "")
    } else {
      self.init(chunksOf: text)
    }
  }

  /// The plain twin: takes any text apart.
  init(chunksOf text: String) {
    var words: [String] = []
    var variants: [String] = []
    for chunk in SearchChunk.all(of: text) {
      words += chunk.words
      variants += chunk.variants
    }
    for part in CapitalParts.all(of: text) {
      variants += SearchChunk.all(of: part).flatMap(\.words)
    }
    self.words = words.joined(separator: " ")
    self.variants = variants.joined(separator: " ")
  }

  /// The words of a text whose chunks are a single ASCII word each, with punctuation at most around it;
  /// nil for any other. Most titles are such texts, and taking them apart was a tenth of a rebuild.
  private static func plainWords(_ text: String) -> String? {
    var text = text
    return text.withUTF8 { text in
      guard text.count <= 1_024 else { return nil }
      return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count + 1) { words in
        var end = 0
        /// Where the chunk is: before its word, within it, or behind it.
        var place = Place.space
        /// How many capitals are before the byte.
        var capitals = 0
        for byte in text {
          switch byte {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            if place == .behind { return nil }
            if place != .word, end > 0 {
              words[end] = UInt8(ascii: " ")
              end += 1
            }
            place = .word
            let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            // They may part the word: `DOORWood`.
            if !isCapital, capitals > 3 { return nil }
            capitals = isCapital ? capitals + 1 : 0
            words[end] = isCapital ? byte | 0x20 : byte
            end += 1
          case 0...0x20, 0x7F:
            if place == .before { return nil }
            place = .space
            capitals = 0
          case UInt8(ascii: "'"), UInt8(ascii: "`"), UInt8(ascii: "&"), UInt8(ascii: "+"),
            UInt8(ascii: "#"), UInt8(ascii: "_"), 0x80...:
            return nil
          default:
            place = place == .word || place == .behind ? .behind : .before
            capitals = 0
          }
        }
        if place == .before { return nil }
        return String(decoding: UnsafeBufferPointer(rebasing: words[..<end]), as: UTF8.self)
      }
    }
  }

  private enum Place {
    case space, before, word, behind
  }

  /// Words and variants in one text.
  public var all: String {
    variants.isEmpty ? words : words.isEmpty ? variants : words + " " + variants
  }
}
