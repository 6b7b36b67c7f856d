/// The address of something to download: https, or http on this machine alone, and no user in it.
package struct DownloadAddress: Hashable, Sendable {
  /// The whole address, which may hold a signature in its query: never for a log, an error or an event.
  package let text: String

  package init(_ text: String) throws(TextProblem) {
    let text = try TextRules.webAddress(text)
    // What stands behind `https://`.
    let rest = text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    let authority = rest[rest.count - 1].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard !authority.contains("@") else { throw .unsafeURL }
    if text.lowercased().hasPrefix("http://"), !Self.isThisMachine(authority) {
      throw .unsafeURL
    }
    self.text = text
  }

  package var isSecure: Bool { text.lowercased().hasPrefix("https://") }

  /// The address without query and fragment: what may be shown and kept.
  package var withoutQuery: String {
    String(text.prefix { $0 != "?" && $0 != "#" })
  }

  private static func isThisMachine(_ authority: Substring) -> Bool {
    if authority.hasPrefix("[::1]") { return true }
    let host = authority.prefix { $0 != ":" }.lowercased()
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return host == "localhost"
      || parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}
