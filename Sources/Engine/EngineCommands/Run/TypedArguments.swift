import CatalogModel

/// A command line in the form that the parser reads.
enum TypedArguments {
  /// - Parameter arguments: as the user typed them, without the program's name.
  static func readable(_ arguments: [String]) -> [String] {
    guard arguments.contains(where: isAge) else { return arguments }
    var words = arguments
    let end = words.firstIndex(of: "--") ?? words.endIndex
    // The parser takes a word that begins with a hyphen for an option, and no option begins with a digit.
    for index in words[..<end].indices where isAge(words[index]) {
      words[index] = "now" + words[index]
    }
    return words
  }

  /// Whether a word is a moment such as `-7d`.
  private static func isAge(_ word: String) -> Bool {
    let digits = word.utf8.dropFirst().prefix(while: \.isASCIIDigit)
    return word.utf8.first == UInt8(ascii: "-") && !digits.isEmpty
      && ["s", "m", "min", "h", "d", "w"].contains(word.dropFirst(1 + digits.count))
  }
}
