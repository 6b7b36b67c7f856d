extension String {
  /// What is said of a command, with lines to type below it. Help shows them as they stand, and
  /// Tools/make-manual finds them by their heading.
  ///
  /// ```swift
  /// discussion: "Reads a file.".examples("\(ProgramName.current) import shelf.json")
  /// ```
  public func examples(_ lines: String...) -> String { examples(lines) }

  /// Adds lines that fit the catalog at hand, or else those that the program has for a command, or else these.
  ///
  /// A configuration that is computed each time, and not once, has lines of the catalog.
  func examples(of command: String, _ lines: String...) -> String {
    examples(
      KindAtHand.current?.examples[command] ?? CatalogProgram.current?.examples[command] ?? lines)
  }

  /// Adds a small document to the text, which help shows line by line.
  ///
  /// - Parameters:
  ///   - title: "A small seed, seed.json:".
  ///   - document: lines of less than 78 characters.
  public func showing(_ title: String, _ document: String) -> String {
    self + "\n\n" + title + "\n"
      + document.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
  }

  private func examples(_ lines: [String]) -> String {
    (isEmpty ? "" : self + "\n\n") + "Examples:\n"
      + lines.map { "  \($0)" }.joined(separator: "\n")
  }
}
