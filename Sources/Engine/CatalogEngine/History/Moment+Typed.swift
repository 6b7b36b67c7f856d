package import CatalogModel
import Support

extension Moment {
  /// The forms that `init(_:now:)` reads, for a person who wrote another one.
  package static let forms = """
    a sequence such as 3533, head, head~3, live, an operation by its first four characters, a time such as \
    2026-01-31T12:00:00Z, a date such as 2026-01-31 (the state at its end), yesterday, or -7d; a time without a zone is UTC
    """

  /// Reads what a person types:
  ///
  /// - `3534`, `head`, `head~3` (three batches before it), `live`, `start` (before event 1);
  /// - `1318f01b`, an operation by its id or its first four characters or more;
  /// - a time (`Timestamp.typed`), `now`, `-7d`, `7 days ago`;
  /// - a date or a month, `2026-01-31` or `2026-01`, `today`, `yesterday`: the state at its end.
  ///
  /// Words may be in capital letters. Days are in UTC. Any other text gives nil.
  package init?(_ text: String, now: Timestamp = CatalogClock.system.now()) {
    let word = text.lowercased()
    switch word {
    case "live": self = .live
    case "start": self = .start
    case "head", "last", "latest": self = .head(back: 0)
    case "now": self = .time(now)
    case "today": self = .span(.day(of: now))
    case "yesterday":
      self = .span(.day(of: Timestamp(milliseconds: now.milliseconds - TimeSpan.dayLength)))
    default:
      if let back = Self.stepsBack(word) {
        self = .head(back: back)
      } else if word.hasPrefix("0"), let operation = OperationName(id: text) {
        // No sequence begins with 0.
        self = .operation(operation)
      } else if !word.isEmpty, word.utf8.allSatisfy(\.isASCIIDigit) {
        guard let sequence = UInt64(word) else { return nil }
        self = .sequence(sequence)
      } else if let age = Self.age(word) {
        self = .time(Timestamp(milliseconds: now.milliseconds - age))
      } else if let span = TimeSpan(word) {
        self = .span(span)
      } else if let time = Timestamp.typed(text) {
        self = .time(time)
      } else if let operation = OperationName(id: text) {
        self = .operation(operation)
      } else {
        return nil
      }
    }
  }

  /// Says of a text in the form of a day or a month, or of a time on a day, that no calendar has it; nil if it is another text.
  package static func advice(onDay text: String) -> String? {
    let day = String(text.prefix { !"Tt ".contains($0) })
    let parts = day.split(separator: "-", omittingEmptySubsequences: false)
    guard [[4, 2, 2], [4, 2]].contains(parts.map(\.utf8.count)),
      parts.allSatisfy({ $0.utf8.allSatisfy(\.isASCIIDigit) }), Moment(day) == nil
    else { return nil }
    return "\(day) is not a day or a month of the calendar"
  }

  /// Reads `head~3`, and `head~` for one step.
  private static func stepsBack(_ word: String) -> UInt64? {
    for name in ["head~", "last~"] where word.hasPrefix(name) {
      let steps = word.dropFirst(name.count)
      return steps.isEmpty ? 1 : UInt64(steps)
    }
    return nil
  }

  private static let units: [(names: [String], milliseconds: Int64)] = [
    (["s", "second", "seconds"], 1_000), (["min", "m", "minute", "minutes"], 60_000),
    (["h", "hour", "hours"], 3_600_000), (["d", "day", "days"], TimeSpan.dayLength),
    (["w", "week", "weeks"], 7 * TimeSpan.dayLength),
  ]

  /// Reads `-7d`, `now-7d`, `7d ago` and `1 week ago`, in milliseconds.
  private static func age(_ word: String) -> Int64? {
    var rest = word[...]
    if rest.hasPrefix("now-") {
      rest.removeFirst(4)
    } else if rest.hasPrefix("-") {
      rest.removeFirst()
    } else if rest.hasSuffix(" ago") {
      rest.removeLast(4)
    } else {
      return nil
    }
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    let unit = rest.dropFirst(digits.count).drop { $0 == " " }
    // Ten thousand years of seconds have twelve digits.
    guard !digits.isEmpty, digits.count <= 12, let count = Int64(digits),
      let length = units.first(where: { $0.names.contains(String(unit)) })?.milliseconds
    else { return nil }
    let (age, overflow) = count.multipliedReportingOverflow(by: length)
    return overflow ? nil : age
  }
}

extension TimeSpan {
  fileprivate static let dayLength: Int64 = 86_400_000

  /// Reads a date or a month: `2026-01-31`, `2026-01`.
  fileprivate init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isASCIIDigit) }) else {
      return nil
    }
    switch parts.map(\.count) {
    case [4, 2, 2]:
      guard let day = Timestamp(text) else { return nil }
      self = .day(of: day)
    case [4, 2]:
      // The longest month has 31 days: the first of the next one is 31 days after the first at the latest.
      guard let first = Timestamp(text + "-01") else { return nil }
      let next = (28...31).lazy.map {
        Timestamp(milliseconds: first.milliseconds + $0 * Self.dayLength)
      }.first { $0.description.dropFirst(8).hasPrefix("01") }
      guard let next else { return nil }
      self.init(
        first: first, last: Timestamp(milliseconds: next.milliseconds - 1))
    default: return nil
    }
  }

  /// The day of a time, in UTC.
  fileprivate static func day(of time: Timestamp) -> TimeSpan {
    // Times before 1970 are negative, and their days begin before them, too.
    let rest = (time.milliseconds % dayLength + dayLength) % dayLength
    let first = time.milliseconds - rest
    return TimeSpan(
      first: Timestamp(milliseconds: first), last: Timestamp(milliseconds: first + dayLength - 1))
  }
}
