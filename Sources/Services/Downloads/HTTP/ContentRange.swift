/// A Content-Range header (RFC 9110 14.4) whose total is known.
package enum ContentRange: Hashable, Sendable {
  /// `bytes 100-199/1000`: both ends are included.
  case part(first: Int64, last: Int64, total: Int64)
  /// `bytes */1000`: what a 416 says.
  case unsatisfied(total: Int64)

  /// Nil where the text is anything else; `bytes 0-1/*` too, which does not say of how many.
  package init?(_ text: String?) {
    guard let text else { return nil }
    let words = text.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let sides = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard sides.count == 2, let total = Self.number(sides[1]) else { return nil }
    if sides[0] == "*" {
      self = .unsatisfied(total: total)
      return
    }
    let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
      first <= last, last < total
    else { return nil }
    self = .part(first: first, last: last, total: total)
  }

  /// Digits alone: `Int64` would take a sign too.
  package static func number(_ text: some StringProtocol) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(text)
  }
}
