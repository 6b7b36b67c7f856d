/// The address of something to download: https, or http on this machine alone, and no user in it.
package struct DownloadAddress: Hashable, Sendable {
  /// The whole address, which may hold a signature in its query: never for a log, an error or an event.
  package let text: String

  package init(_ text: String) throws(TextProblem) {
    let text = try TextRules.webAddress(text)
    guard !Self.authority(of: text).contains("@") else { throw .unsafeURL }
    if text.lowercased().hasPrefix("http://"), !Self.isThisMachine(text) { throw .unsafeURL }
    self.text = text
  }

  package var isSecure: Bool { text.lowercased().hasPrefix("https://") }

  /// The address without query and fragment: what may be shown and kept.
  package var withoutQuery: String {
    String(text.prefix { $0 != "?" && $0 != "#" })
  }

  /// Whether an address, of any scheme, names this machine by a loopback address or as `localhost`.
  package static func isThisMachine(_ address: String) -> Bool {
    let authority = authority(of: address)
    if authority == "[::1]" || authority.hasPrefix("[::1]:") { return true }
    let host = authority.prefix { $0 != ":" }.lowercased()
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return host == "localhost"
      || parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// What stands behind `https://`.
  private static func authority(of address: String) -> Substring {
    let rest = address.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    return rest[rest.count - 1].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
  }
}
