import Foundation

/// What sets a line off on a terminal; the values are those of the escape sequence.
package enum Style: String {
  case heading = "1"
  case added = "32"
  case removed = "31"
  case failure = "1;31"

  func applied(to text: some StringProtocol) -> String {
    "\u{1B}[\(rawValue)m\(text)\u{1B}[0m"
  }

  /// Whether what is written there is coloured: a terminal that can, and a person who did not say
  /// otherwise (https://no-color.org).
  static func isWanted(on descriptor: Int32) -> Bool {
    guard isTerminal(descriptor) else { return false }
    return (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
  }

  /// Whether a terminal is there that understands escape sequences.
  static func isTerminal(_ descriptor: Int32) -> Bool {
    guard isatty(descriptor) == 1 else { return false }
    let terminal = ProcessInfo.processInfo.environment["TERM"] ?? ""
    return !terminal.isEmpty && terminal != "dumb"
  }
}
