import CatalogModel

/// Numbers for people.
public enum Count {
  /// `1 event`, `2 events`, `12,345 batches`.
  public static func of(_ number: some BinaryInteger, _ noun: String) -> String {
    CountWords.of(number, noun)
  }

  /// With a comma before each three digits: `12,345`.
  public static func grouped(_ number: some BinaryInteger) -> String { CountWords.grouped(number) }

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

  /// Writes a time that is left: `1 h 5 min`, `2 min 10 s`, `7 s`.
  package static func time(_ duration: Duration) -> String {
    let seconds = max(0, duration.components.seconds)
    if seconds >= 3_600 { return "\(seconds / 3_600) h \(seconds % 3_600 / 60) min" }
    return seconds >= 60 ? "\(seconds / 60) min \(seconds % 60) s" : "\(seconds) s"
  }
}
