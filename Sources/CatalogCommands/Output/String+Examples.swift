extension String {
  /// What is said of a command, with lines to type below it. Help shows them as they stand, and
  /// Tools/make-manual finds them by their heading.
  func examples(_ lines: String...) -> String {
    (isEmpty ? "" : self + "\n\n") + "Examples:\n"
      + lines.map { "  \($0)" }.joined(separator: "\n")
  }
}
