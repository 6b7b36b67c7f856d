import Downloads

/// Puts a response's head together from its lines, and counts those that follow its body.
struct HeadLines {
  enum Step {
    case more
    case head(IncomingResponse.Head)
    /// What came is no HTTP.
    case malformed(String)
  }

  /// In bytes, with the heads of informational answers before it. Servers send far less.
  static let limit = 256 << 10

  /// Bytes of the lines behind a body in chunks. Nobody reads them: they are counted and dropped.
  static let trailerLimit = 64 << 10

  /// Of the head, then of the trailers.
  private var size = 0
  private var status: Int?
  private var headers: [TransportRequest.Header] = []
  private var isComplete = false

  /// - Parameter line: with its line break.
  mutating func read(_ line: some Collection<UInt8>) -> Step {
    size += line.count
    guard !isComplete else {
      guard size > Self.trailerLimit else { return .more }
      return .malformed(
        "more than \(Self.trailerLimit >> 10) KiB of header lines after the body")
    }
    guard size <= Self.limit else {
      return .malformed("a head of more than \(Self.limit >> 10) KiB")
    }
    let text = String(decoding: Self.trimmed(line, { $0 == 0x0D || $0 == 0x0A }), as: UTF8.self)
    guard let status else { return readStatus(text) }
    guard text.isEmpty else { return readHeader(text) }
    if status < 200 {
      // An informational answer: the one that counts follows.
      self.status = nil
      headers = []
      return .more
    }
    isComplete = true
    size = 0
    return .head(IncomingResponse.Head(status: status, headers: headers))
  }

  private mutating func readStatus(_ text: String) -> Step {
    let parts = text.utf8.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
    guard text.hasPrefix("HTTP/"), parts.count > 1, parts[1].count == 3,
      let status = Int(String(parts[1]) ?? ""), status >= 100
    else { return .malformed("the first line is not a status line") }
    self.status = status
    return .more
  }

  private mutating func readHeader(_ text: String) -> Step {
    if text.hasPrefix(" ") || text.hasPrefix("\t") {
      // RFC 9112 5.2: a line that goes on, by which older servers fold long values.
      guard let last = headers.indices.last else { return .malformed("a header without a name") }
      headers[last].value += " " + Self.trimmed(text)
      return .more
    }
    guard let colon = text.utf8.firstIndex(of: 0x3A), colon > text.startIndex else {
      return .malformed("a header without a name")
    }
    let name = String(text[..<colon])
    let value = Self.trimmed(text[text.utf8.index(after: colon)...])
    if name.lowercased() == "content-length",
      headers.contains(where: { $0.name.lowercased() == "content-length" && $0.value != value })
    {
      return .malformed("two lengths that differ")
    }
    headers.append(TransportRequest.Header(name, value))
    return .more
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    String(decoding: trimmed(text.utf8, { $0 == 0x20 || $0 == 0x09 }), as: UTF8.self)
  }

  private static func trimmed<Bytes: Collection<UInt8>>(
    _ bytes: Bytes, _ isBlank: (UInt8) -> Bool
  ) -> [UInt8] {
    var bytes = Array(bytes.drop(while: isBlank))
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    return bytes
  }
}
