/// Numbers of things in sentences.
package enum CountWords {
  /// `1 event`, `2 events`, `12,345 batches`.
  package static func of(_ number: some BinaryInteger, _ noun: String) -> String {
    "\(grouped(number)) \(number == 1 ? noun : plural(noun))"
  }

  /// The plural of the last word: batches, indexes, entries, events.
  private static func plural(_ noun: String) -> String {
    if noun.hasSuffix("ch") || noun.hasSuffix("x") || noun.hasSuffix("s") { return noun + "es" }
    // `play` and `day` are regular.
    if noun.hasSuffix("y"), let before = noun.dropLast().last, !"aeou".contains(before) {
      return noun.dropLast() + "ies"
    }
    return noun + "s"
  }

  /// With a comma before each three digits: `12,345`.
  package static func grouped(_ number: some BinaryInteger) -> String {
    let digits = String(number.magnitude)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return (number < 0 ? "-" : "") + text
  }
}
