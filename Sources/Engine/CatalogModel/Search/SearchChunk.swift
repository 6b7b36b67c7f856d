/// What stands between two white spaces of a text, taken apart into words for the full-text index.
///
/// Words are runs of letters and digits. `&`, `+` and `#` belong to the word that they touch (`r&b`,
/// `c++`); apostrophes are left out (`hero's` is `heros`); any other punctuation parts words
/// (`sci-fi` is two). Each character of a script that is written without spaces, and each symbol or
/// emoji, is a word.
struct SearchChunk {
  /// In order; free of white space.
  private(set) var words: [String] = []
  /// Further forms under which the chunk is found: what stands before and behind an apostrophe, `&`,
  /// `+` or `#`, and the chunk without its punctuation (`scifi`).
  private(set) var variants: [String] = []
  /// `words` as one, where punctuation parted them; nil for others.
  private(set) var joined: String?
  /// `words` with `r&b` as `r b`: what `R & B` has; nil if nothing joins two pieces.
  private(set) var parted: [String]?
  /// The chunk itself where it is punctuation alone: `!!!`.
  private(set) var punctuation: String?

  /// The chunks of a text; those without anything to find are left out.
  static func all(of text: String) -> [SearchChunk] {
    var chunks: [SearchChunk] = []
    var scalars: [Unicode.Scalar] = []
    func end() {
      let chunk = SearchChunk(scalars)
      if !chunk.words.isEmpty || chunk.punctuation != nil { chunks.append(chunk) }
      scalars.removeAll(keepingCapacity: true)
    }
    for scalar in SearchFolding.fold(text).unicodeScalars {
      switch Role(scalar) {
      case .space: end()
      case .ignored: break
      default: scalars.append(scalar)
      }
    }
    end()
    return chunks
  }

  private init(_ scalars: [Unicode.Scalar]) {
    var word = SearchWord()
    var hasSymbols = false
    var pieces: [String] = []
    func end() {
      word.finish()
      if !word.text.isEmpty {
        words.append(word.text)
        pieces += word.isJoined ? word.parts : [word.text]
        if word.parts != [word.text] { variants += word.parts }
      }
      word = SearchWord()
    }
    for scalar in scalars {
      switch Role(scalar) {
      case .letter: word.add(scalar)
      case .apostrophe: word.part()
      case .joiner: word.join(scalar)
      case .symbol:
        end()
        hasSymbols = true
        words.append(String(scalar))
        pieces.append(String(scalar))
      case .separator, .space, .ignored: end()
      }
    }
    end()
    if pieces != words { parted = pieces }
    if words.count > 1, !hasSymbols {
      joined = words.joined()
      variants += [words.joined()]
    }
    if words.isEmpty {
      let marks = String(String.UnicodeScalarView(scalars.filter { $0 != "'" && $0 != "\"" }))
      if !marks.isEmpty, marks.utf8.count <= Self.punctuationLimit {
        punctuation = marks
        variants = [marks]
      }
    }
  }

  /// Longer lines of punctuation are ornaments.
  private static let punctuationLimit = 32

  /// What a character of a folded text does.
  private enum Role {
    case letter
    case apostrophe
    case joiner
    /// A word by itself.
    case symbol
    case separator
    case space
    /// Soft hyphens, joiners of no width and the like.
    case ignored

    init(_ scalar: Unicode.Scalar) {
      switch scalar {
      case "a"..."z", "0"..."9": self = .letter
      case "'": self = .apostrophe
      case "&", "+", "#": self = .joiner
      case "\u{0}"..." ", "\u{7F}": self = .space
      case "!"..."~": self = .separator
      default: self = Role(notASCII: scalar)
      }
    }

    private init(notASCII scalar: Unicode.Scalar) {
      switch scalar.properties.generalCategory {
      case .format: self = .ignored
      case .spaceSeparator, .lineSeparator, .paragraphSeparator, .control: self = .space
      case .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
        .finalPunctuation, .connectorPunctuation, .otherPunctuation:
        self = .separator
      case .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol:
        self = scalar == "\u{2044}" ? .separator : .symbol
      default: self = Self.isUnspaced(scalar) ? .symbol : .letter
      }
    }

    /// Scripts whose words no space parts: a name is found by any run of its characters.
    private static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.value {
      // Thai, Lao, Tibetan, Myanmar, Khmer.
      case 0x0E00...0x109F, 0x1780...0x17FF, 0xAA60...0xAA7F: true
      // Hangul: written with spaces, but particles hang on its words.
      case 0x1100...0x11FF, 0xA960...0xA97F, 0xAC00...0xD7FF: true
      // Han, kana, bopomofo.
      case 0x2E80...0x2FDF, 0x3005...0x3007, 0x3021...0x3029, 0x3038...0x31FF, 0x3400...0x4DBF,
        0x4E00...0x9FFF, 0xF900...0xFAFF, 0x1AFF0...0x1B16F, 0x20000...0x3FFFF:
        true
      default: false
      }
    }
  }
}
