/// A moment in UTC with milliseconds, as events and rows hold it.
///
/// Text form: `2026-01-31T12:00:00.000Z`, always 24 characters for the years 0000 to 9999, so that
/// text order is time order.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z, negative before it.
  public let milliseconds: Int64

  /// The years 0000 to 9999.
  package static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

  /// A moment outside the years 0000 to 9999 is moved to the nearest end of them.
  public init(milliseconds: Int64) {
    self.milliseconds = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
  }

  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.milliseconds < right.milliseconds
  }
}

extension Timestamp: CustomStringConvertible {
  public var description: String {
    let (days, milliseconds) = Self.floorDivide(milliseconds, 86_400_000)
    let (year, month, day) = Self.civil(fromDays: days)
    return String(unsafeUninitializedCapacity: 24) { buffer in
      var end = 0
      func put(_ value: Int64, _ width: Int, then separator: Unicode.Scalar) {
        var value = value
        for index in stride(from: width - 1, through: 0, by: -1) {
          buffer[end + index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10)
          value /= 10
        }
        buffer[end + width] = UInt8(ascii: separator)
        end += width + 1
      }
      put(year, 4, then: "-")
      put(month, 2, then: "-")
      put(day, 2, then: "T")
      put(milliseconds / 3_600_000, 2, then: ":")
      put(milliseconds / 60_000 % 60, 2, then: ":")
      put(milliseconds / 1_000 % 60, 2, then: ".")
      put(milliseconds % 1_000, 3, then: "Z")
      return end
    }
  }
}

extension Timestamp {
  /// Reads an ISO 8601 moment: `2026-01-31`, `2026-01-31T12:00Z`, with seconds, with a fraction of
  /// any length (cut to milliseconds), with `Z` or an offset such as `+02:00`. Without a zone it is
  /// UTC. Anything else is nil.
  public init?(_ text: String) {
    self.init(utf8: Array(text.utf8))
  }

  /// Reads bytes in memory; not generic, as `EntityID.init(utf8:)` says. The form that rows and events
  /// have, `2026-01-31T12:00:00.000Z`, is read without the general parser.
  package init?(utf8 text: UnsafeRawBufferPointer) {
    guard let milliseconds = Self.canonicalMilliseconds(text) else {
      guard let time = Timestamp(utf8: Array(text)) else { return nil }
      self = time
      return
    }
    self.init(milliseconds: milliseconds)
  }

  private static func canonicalMilliseconds(_ text: UnsafeRawBufferPointer) -> Int64? {
    guard text.count == 24, text[4] == 0x2D, text[7] == 0x2D, text[10] == 0x54, text[13] == 0x3A,
      text[16] == 0x3A, text[19] == 0x2E, text[23] == 0x5A
    else { return nil }
    var isNumber = true
    func number(_ range: Range<Int>) -> Int64 {
      var value: Int64 = 0
      for index in range {
        let digit = text[index] &- 0x30
        if digit > 9 { isNumber = false }
        value = value * 10 + Int64(digit)
      }
      return value
    }
    let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
    let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
    let fraction = number(20..<23)
    guard isNumber, (1...12).contains(month), (1...days(inMonth: month, year: year)).contains(day),
      hour < 24, minute < 60, second < 60
    else { return nil }
    return days(year: year, month: month, day: day) * 86_400_000 + hour * 3_600_000
      + minute * 60_000 + second * 1_000 + fraction
  }

  package init?(utf8 text: some RandomAccessCollection<UInt8>) {
    var rest = text[...]
    func number(_ width: Int, _ range: ClosedRange<Int64>) -> Int64? {
      guard rest.count >= width else { return nil }
      var value: Int64 = 0
      for byte in rest.prefix(width) {
        guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
        value = value * 10 + Int64(byte - UInt8(ascii: "0"))
      }
      rest = rest.dropFirst(width)
      return range.contains(value) ? value : nil
    }
    func skip(_ character: Unicode.Scalar) -> Bool {
      guard rest.first == UInt8(ascii: character) else { return false }
      rest = rest.dropFirst()
      return true
    }
    guard let year = number(4, 0...9999), skip("-"), let month = number(2, 1...12), skip("-"),
      let day = number(2, 1...31), day <= Self.days(inMonth: month, year: year)
    else { return nil }
    var time: Int64 = 0
    var offset: Int64 = 0
    if skip("T") {
      guard let hour = number(2, 0...23), skip(":"), let minute = number(2, 0...59) else {
        return nil
      }
      time = hour * 3_600_000 + minute * 60_000
      if skip(":") {
        guard let second = number(2, 0...59) else { return nil }
        time += second * 1_000
        if skip(".") {
          var unit: Int64 = 100
          guard let first = number(1, 0...9) else { return nil }
          time += first * unit
          while let digit = number(1, 0...9) {
            unit /= 10
            time += digit * unit
          }
        }
      }
      if skip("Z") {
      } else if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
        rest = rest.dropFirst()
        guard let hour = number(2, 0...23), skip(":"), let minute = number(2, 0...59) else {
          return nil
        }
        offset = (hour * 3_600_000 + minute * 60_000) * (sign == UInt8(ascii: "+") ? 1 : -1)
      }
    }
    guard rest.isEmpty else { return nil }
    let milliseconds = Self.days(year: year, month: month, day: day) * 86_400_000 + time - offset
    guard Self.range.contains(milliseconds) else { return nil }
    self.init(milliseconds: milliseconds)
  }

  // Days since 1970-01-01 in the proleptic Gregorian calendar and back: Howard Hinnant,
  // "chrono-Compatible Low-Level Date Algorithms". Foundation's calendars would do the same at a
  // hundred times the cost, and every event carries a time.

  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = floorDivide(year, 400)
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  private static func days(inMonth month: Int64, year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (Int64, Int64) {
    let quotient = value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor)
    return (quotient, value - quotient * divisor)
  }
}
