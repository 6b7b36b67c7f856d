/// Numbers for people.
public enum Count {
  /// `1 event`, `2 events`, `12,345 batches`.
  public static func of(_ number: some BinaryInteger, _ noun: String) -> String {
    "\(grouped(number)) \(number == 1 ? noun : plural(noun))"
  }

  /// The plural of the last word: batches, indexes, entries, events.
  static func plural(_ noun: String) -> String {
    if noun.hasSuffix("ch") || noun.hasSuffix("x") || noun.hasSuffix("s") { return noun + "es" }
    // `play` and `day` are regular.
    if noun.hasSuffix("y"), let before = noun.dropLast().last, !"aeou".contains(before) {
      return noun.dropLast() + "ies"
    }
    return noun + "s"
  }

  /// With a comma before each three digits: `12,345`.
  public static func grouped(_ number: some BinaryInteger) -> String {
    let digits = String(number.magnitude)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return (number < 0 ? "-" : "") + text
  }

  package static func bytes(_ number: some BinaryInteger) -> String {
    let units = ["B", "KiB", "MiB", "GiB"]
    var value = Double(number)
    var unit = 0
    while value >= 1_024, unit < units.count - 1 {
      value /= 1_024
      unit += 1
    }
    return unit == 0 ? "\(number) B" : "\((value * 10).rounded() / 10) \(units[unit])"
  }
}
