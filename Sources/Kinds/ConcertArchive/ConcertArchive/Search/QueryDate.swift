/// A day or a month as people write it.
///
/// Numbers are in the order of the USA, in which archives write their dates: month, day, year. A number that no month
/// has is the day (`25/12/77`), one that no day has is the year (`77-05-08`), and so is one of four digits.
enum QueryDate: Hashable {
  /// `1977-05-08`.
  case day(String)
  /// A day whose year is written with two digits, of whatever century: `5-8-77`.
  case shortDay(String)
  /// `1977-05`.
  case month(String)
  /// A month whose year is written with two digits: the years that it can be.
  case shortMonth([String])
  /// A day of any year: `5-8-`.
  case dayOfAnyYear(String)

  /// The longest date at the beginning of words: `5/8/77`, `May 1977`, `8th of May, 1977`.
  ///
  /// - Returns: the date, and how many words it was made of; nil if they begin with something else.
  static func beginning(of words: [String]) -> (date: QueryDate, count: Int)? {
    for count in stride(from: min(4, words.count), through: 1, by: -1) {
      let parts = words.prefix(count).map(QueryDatePart.all)
      guard let all = whole(parts), let date = QueryDate(all) else { continue }
      // Numbers apart are a date only if one of them is surely a year.
      let isDate =
        count == 1 || all.contains { $0.isName }
        || all.contains { $0.isLongYear } || (all.count == 3 && all.contains { $0.isYearAlone })
      if isDate { return (date, count) }
    }
    return nil
  }

  private static func whole(_ parts: [[QueryDatePart]?]) -> [QueryDatePart]? {
    var all: [QueryDatePart] = []
    for part in parts {
      guard let part else { return nil }
      all += part
    }
    // `8th of May`; nothing begins or ends with it.
    guard all.first != .of, all.last != .of, all.count <= 4 else { return nil }
    return all.filter { $0 != .of }
  }

  private init?(_ parts: [QueryDatePart]) {
    switch parts.count {
    case 1:
      guard case .compact(let year, let month, let day) = parts[0],
        let date = Self.day(year, month, day)
      else { return nil }
      self = date
    case 2:
      guard let date = Self.ofTwo(parts[0], parts[1]) else { return nil }
      self = date
    case 3:
      guard let date = Self.ofThree(parts[0], parts[1], parts[2]) else { return nil }
      self = date
    default: return nil
    }
  }

  // MARK: Orders of parts

  private static func ofThree(
    _ first: QueryDatePart, _ second: QueryDatePart, _ third: QueryDatePart
  ) -> QueryDate? {
    switch (first, second, third) {
    case (.name(let month), .number(let day), .number(let year)):
      return Self.day(year, month, day)
    case (.number(let one), .name(let month), .number(let other)):
      return one.isYearAlone ? Self.day(one, month, other) : Self.day(other, month, one)
    case (.number(let one), .number(let two), .number(let three)):
      if one.isYearAlone { return Self.day(one, two.value, three) }
      return Self.day(three, one.value, two) ?? Self.day(three, two.value, one)
    default: return nil
    }
  }

  private static func ofTwo(_ first: QueryDatePart, _ second: QueryDatePart) -> QueryDate? {
    switch (first, second) {
    case (.name(let month), .number(let number)), (.number(let number), .name(let month)):
      return number.isYearAlone ? Self.month(number, month) : anyYear(month, number)
    case (.number(let one), .number(let two)):
      if one.isYearAlone { return Self.month(one, two.value) }
      if two.isYearAlone { return Self.month(two, one.value) }
      return anyYear(one.value, two) ?? anyYear(two.value, one)
    default: return nil
    }
  }

  // MARK: Checks

  private static func day(
    _ year: QueryDatePart.Number, _ month: Int, _ day: QueryDatePart.Number
  ) -> QueryDate? {
    guard !day.isYearAlone else { return nil }
    switch year.digits {
    case 4:
      let text = "\(padded(year.value, 4))-\(padded(month))-\(padded(day.value))"
      return ShowDate(text) == nil ? nil : .day(text)
    case 2:
      // Some century has the 29th of February.
      guard isDay(month, day.value) else { return nil }
      return .shortDay("\(month)-\(day.value)-\(padded(year.value))")
    default: return nil
    }
  }

  private static func month(_ year: QueryDatePart.Number, _ month: Int) -> QueryDate? {
    guard 1...12 ~= month else { return nil }
    switch year.digits {
    case 4: return .month("\(padded(year.value, 4))-\(padded(month))")
    case 2:
      return .shortMonth([18, 19, 20].map { "\($0)\(padded(year.value))-\(padded(month))" })
    default: return nil
    }
  }

  private static func anyYear(_ month: Int, _ day: QueryDatePart.Number) -> QueryDate? {
    guard !day.isYearAlone, isDay(month, day.value) else { return nil }
    return .dayOfAnyYear("\(month)-\(day.value)-")
  }

  /// In a leap year.
  private static func isDay(_ month: Int, _ day: Int) -> Bool {
    ShowDate("2000-\(padded(month))-\(padded(day))") != nil
  }

  private static func padded(_ number: Int, _ digits: Int = 2) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }
}
