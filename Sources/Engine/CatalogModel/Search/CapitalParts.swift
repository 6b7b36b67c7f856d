/// The parts of words that capitals part: `DOORWood` is `DOOR` and `Wood`.
///
/// Names of sound files are written so. A person who searches types a part. Other words stay whole: `McRae` and `DMDave` are
/// one word each.
enum CapitalParts {
  /// - Returns: the parts of all words that have several, in order.
  static func all(of text: String) -> [String] {
    text.split(whereSeparator: \.isWhitespace).flatMap {
      all(of: $0.unicodeScalars, isFileName: $0.contains("_"))
    }
  }

  /// - Parameter isFileName: whether any small letter before a capital ends a part. If not, only three capitals or more
  ///   before a capitalised part are one.
  private static func all(
    of text: Substring.UnicodeScalarView, isFileName: Bool
  ) -> [String] {
    text.split { !$0.properties.isAlphabetic }.flatMap { word -> [String] in
      let word = Array(word)
      let starts = word.indices.filter { isStart($0, in: word, isFileName) }
      guard !starts.isEmpty else { return [] }
      return zip([0] + starts, starts + [word.count]).map {
        String(String.UnicodeScalarView(word[$0..<$1]))
      }
    }
  }

  /// Whether a part begins at a place, which is not the first.
  private static func isStart(_ place: Int, in word: [Unicode.Scalar], _ isFileName: Bool) -> Bool {
    guard place > 0, isCapital(word[place]) else { return false }
    if isSmall(word[place - 1]) { return isFileName }
    // The last capital of several begins the next part, if it is more than the `s` of `DJs`.
    guard place + 2 < word.count, isSmall(word[place + 1]), isSmall(word[place + 2]) else {
      return false
    }
    let capitals = word[..<place].reversed().prefix(while: isCapital).count
    return capitals >= (isFileName ? 1 : 3)
  }

  private static func isCapital(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isUppercase || scalar.properties.generalCategory == .titlecaseLetter
  }

  private static func isSmall(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isLowercase }
}
