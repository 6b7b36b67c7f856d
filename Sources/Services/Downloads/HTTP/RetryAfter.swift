package import Foundation

/// How long a server asks to be left alone (RFC 9110 10.2.3).
package enum RetryAfter {
  /// Seconds or a date, in any of the three forms that the RFC has; nil if it is neither.
  package static func pause(_ text: String?, now: Date = Date()) -> Duration? {
    guard let text = text?.trimmingCharacters(in: .whitespaces), !text.isEmpty else { return nil }
    if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // More digits than fit are a very long time.
      return .seconds(min(Int64(text) ?? .max, 1 << 40))
    }
    for format in [
      "EEE, dd MMM yyyy HH:mm:ss zzz", "EEEE, dd-MMM-yy HH:mm:ss zzz", "EEE MMM d HH:mm:ss yyyy",
    ] {
      let formatter = DateFormatter()
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.timeZone = TimeZone(secondsFromGMT: 0)
      formatter.dateFormat = format
      if let date = formatter.date(from: text) {
        return .seconds(max(0, date.timeIntervalSince(now)))
      }
    }
    return nil
  }
}
