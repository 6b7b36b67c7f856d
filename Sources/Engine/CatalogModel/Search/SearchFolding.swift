/// Takes out of a text what a person who searches does not type: case, accents, width, the sort of
/// quote.
///
/// The folded form is what the full-text index holds and what queries are compared with. It changes
/// rows: whoever changes it raises the version of every kind that has them.
enum SearchFolding {
  /// The text in lower case, without accents, with one sort of apostrophe, in NFC.
  static func fold(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "`") }) { return text.lowercased() }
    var plain = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { plain.append(unified(scalar)) }
    var folded = String.UnicodeScalarView()
    for scalar in NormalForm.nfkd(String(plain)).unicodeScalars where !isAccent(scalar) {
      for lower in scalar.properties.lowercaseMapping.unicodeScalars {
        if let letters = expansions[lower] {
          folded.append(contentsOf: letters.unicodeScalars)
        } else if !isAccent(lower) {
          // Once more: the decomposition of ŉ has an apostrophe.
          folded.append(unified(lower))
        }
      }
    }
    // Hangul syllables and kana with marks are letters of their own: they are put together again.
    return NormalForm.nfc(String(folded))
  }

  /// One apostrophe for all. Before the decomposition, which makes a space of U+00B4; and ™ would
  /// become the letters TM.
  private static func unified(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar {
    case "\u{2018}", "\u{2019}", "\u{201B}", "\u{2032}", "\u{02B9}", "\u{02BB}", "\u{02BC}",
      "\u{055A}", "\u{05F3}", "\u{00B4}", "\u{FF07}", "`":
      "'"
    case "™", "℠", "®", "©": " "
    default: scalar
    }
  }

  /// Letters that no decomposition takes apart.
  private static let expansions: [Unicode.Scalar: String] = [
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ħ": "h",
    "ŧ": "t", "ı": "i", "ς": "σ",
  ]

  /// Marks that a searching person leaves out. Marks that make another letter, as in kana or in the
  /// scripts of India, are none of these.
  private static func isAccent(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0300...0x036F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE00...0xFE0F,
      0xFE20...0xFE2F:
      true
    // Hebrew points, Arabic vowel signs.
    case 0x0591...0x05BD, 0x05BF, 0x05C1, 0x05C2, 0x05C4, 0x05C5, 0x05C7, 0x064B...0x065F, 0x0670:
      true
    default: false
    }
  }
}
