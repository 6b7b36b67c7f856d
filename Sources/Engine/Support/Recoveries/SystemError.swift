import LibC

/// Says why the system refused a call: its own words, and what can be done if something is used up or not permitted.
package enum SystemError {
  /// - Parameters:
  ///   - number: `errno`.
  ///   - remedy: what can be done if nothing is used up; nil leaves it to this type.
  package static func words(for number: Int32, otherwise remedy: String? = nil) -> String {
    let words = String(cString: strerror(number))
    guard let advice = shortage(number) ?? remedy ?? permission(number) else { return words }
    return "\(words); \(advice)"
  }

  /// The words for `errno` as it is now.
  package static var current: String { words(for: errno) }

  /// Nil if nothing is used up.
  private static func shortage(_ number: Int32) -> String? {
    switch number {
    case EMFILE: "allow this process more open files (ulimit -n)"
    case ENFILE: "end other programs, which have too many files open"
    case ENOMEM: "end other programs, or allow this process more memory (ulimit -v)"
    case ENOSPC, EDQUOT: "free some space there and try again"
    default: nil
    }
  }

  /// Nil if nothing is forbidden.
  private static func permission(_ number: Int32) -> String? {
    [EACCES, EPERM].contains(number)
      ? "let this user read and write it, or run the program as its owner" : nil
  }
}
