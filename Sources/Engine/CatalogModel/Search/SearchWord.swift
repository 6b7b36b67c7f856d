/// A word of the full-text index as it grows, with the pieces between its apostrophes and joiners.
struct SearchWord {
  private(set) var text = ""
  private(set) var parts: [String] = []
  /// Whether a joiner stands between two pieces, as in `r&b`.
  private(set) var isJoined = false
  private var current = ""
  /// Joiners that belong to the word only if they stand before a letter, or at its end as in `c++`.
  private var pending = ""

  mutating func add(_ scalar: Unicode.Scalar) {
    if !pending.isEmpty {
      // Before the first letter they are punctuation, as in `#1`.
      if !text.isEmpty {
        text += pending
        isJoined = true
        part()
      }
      pending = ""
    }
    text.unicodeScalars.append(scalar)
    current.unicodeScalars.append(scalar)
  }

  /// Ends a piece: an apostrophe stands here.
  mutating func part() {
    if !current.isEmpty { parts.append(current) }
    current = ""
  }

  /// Takes `&`, `+` or `#`.
  mutating func join(_ scalar: Unicode.Scalar) {
    pending.unicodeScalars.append(scalar)
  }

  mutating func finish() {
    part()
    // `c++` and `c#` end in what belongs to them, `rock&` does not.
    if !text.isEmpty, !pending.contains("&") { text += pending }
  }
}
