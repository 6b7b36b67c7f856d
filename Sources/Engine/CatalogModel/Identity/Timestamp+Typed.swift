extension Timestamp {
  /// Reads a time as a person pastes it from another program: each form of `init(_:)`, and
  ///
  /// - `20260316T090000Z` (ISO 8601 without separators),
  /// - `2026-03-16 09:00:00 +0100` (git), with a space or a small `t` in the place of `T`,
  /// - `+0100`, `+01`, a small `z`, `UTC` and `GMT` as zones,
  /// - a comma before the fraction of a second,
  /// - `Mon 2026-03-16 09:00:00 UTC` (systemd), if that day is a Monday.
  ///
  /// A day without separators and without a time, `20260316`, may be a sequence and gives nil, and so does a date whose order
  /// of day and month is not known. Events and documents keep to the forms of `init(_:)`.
  package static func typed(_ text: String) -> Timestamp? {
    var words = text.split(separator: " ", omittingEmptySubsequences: false)[...]
    let weekday = words.first.flatMap { weekdays.firstIndex(of: String($0)) }
    if weekday != nil { words.removeFirst() }
    guard var date = words.popFirst() else { return nil }
    var clock: Substring?
    if let mark = date.firstIndex(where: { $0 == "T" || $0 == "t" }) {
      clock = date[date.index(after: mark)...]
      date = date[..<mark]
    } else {
      clock = words.popFirst()
    }
    guard let day = Self.day(date, isAlone: clock == nil) else { return nil }
    var strict = day
    if let clock {
      let end = clock.firstIndex { "Zz+-".contains($0) } ?? clock.endIndex
      // The zone is there, or the next word.
      let zone = end == clock.endIndex ? words.popFirst() ?? "Z" : clock[end...]
      guard zone.first.map({ "Zz+-UG".contains($0) }) == true else { return nil }
      strict += "T" + Self.clock(clock[..<end]) + Self.zone(zone)
    }
    guard words.isEmpty, let time = Timestamp(strict) else { return nil }
    if let weekday, Timestamp(day).map(Self.weekday(of:)) != weekday { return nil }
    return time
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

  private static func weekday(of day: Timestamp) -> Int {
    let days = Int(day.milliseconds / 86_400_000)
    // Day 0 was a Thursday.
    return ((days + 4) % 7 + 7) % 7
  }

  /// With separators.
  private static func day(_ text: Substring, isAlone: Bool) -> String? {
    guard text.utf8.allSatisfy(\.isASCIIDigit) else { return String(text) }
    guard text.utf8.count == 8, !isAlone else { return nil }
    return "\(text.prefix(4))-\(text.dropFirst(4).prefix(2))-\(text.suffix(2))"
  }

  /// With separators, and a point before the fraction.
  private static func clock(_ text: Substring) -> String {
    let whole = text.prefix { $0 != "." && $0 != "," }
    let fraction = text[whole.endIndex...].replacing(",", with: ".")
    guard [4, 6].contains(whole.utf8.count), whole.utf8.allSatisfy(\.isASCIIDigit) else {
      return "\(whole)\(fraction)"
    }
    let seconds = whole.utf8.count == 6 ? ":" + whole.suffix(2) : ""
    return "\(whole.prefix(2)):\(whole.dropFirst(2).prefix(2))\(seconds)\(fraction)"
  }

  private static func zone(_ text: Substring) -> String {
    if ["z", "UTC", "GMT"].contains(text) { return "Z" }
    guard text.dropFirst().utf8.allSatisfy(\.isASCIIDigit) else { return String(text) }
    return switch text.utf8.count {
    case 3: "\(text):00"
    case 5: "\(text.prefix(3)):\(text.suffix(2))"
    default: String(text)
    }
  }
}
