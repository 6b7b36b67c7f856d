extension Unicode.Scalar {
  /// Has the scalars that take two columns: those whose East_Asian_Width in the Unicode Character Database is Wide or Fullwidth.
  /// Emoji are left out, since `isEmojiPresentation` knows them.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF,
    0x4E00...0xA4CF,
    0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
    0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD,
  ]

  /// 0, 1 or 2.
  fileprivate var displayWidth: Int {
    // Most texts are of these.
    if value < 0x300 { return 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    if properties.isEmojiPresentation { return 2 }
    return Self.wide.contains { $0.contains(value) } ? 2 : 1
  }
}

extension Character {
  /// The columns that a terminal gives it: those of its widest scalar, and two if a selector asks for an emoji. Of several letters that
  /// are one character, as in scripts of India, one counts.
  fileprivate var displayWidth: Int {
    var width = 0
    for scalar in unicodeScalars {
      if scalar.value == 0xFE0F { return 2 }
      width = max(width, scalar.displayWidth)
    }
    return width
  }
}

extension StringProtocol {
  /// How many columns a terminal gives the text: two for an ideograph or an emoji, none for a mark above a letter.
  package var displayWidth: Int {
    utf8.allSatisfy { $0 < 0x80 } ? utf8.count : reduce(0) { $0 + $1.displayWidth }
  }

  /// Fills the text with spaces after it, so that the next column begins at the same place in each line.
  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, width - displayWidth))
  }

  /// Fills the text with spaces before it, so that numbers end at the same place in each line.
  package func aligned(to width: Int) -> String {
    String(repeating: " ", count: Swift.max(0, width - displayWidth)) + self
  }

  /// The longest beginning that fits into this many columns.
  package func prefix(columns: Int) -> SubSequence {
    var left = columns
    return prefix { character in
      left -= character.displayWidth
      return left >= 0
    }
  }
}
