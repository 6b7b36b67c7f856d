import CatalogModel

/// What to do with a body that answers a request for an asset, judged by the response's head alone.
enum ResponseVerdict: Hashable, Sendable {
  /// The body goes behind what is there, up to this byte of the asset (not included).
  case append(until: Int64)
  /// The body is the whole asset, although a range was asked for: it takes the place of what is there.
  case replace

  /// What was asked for.
  struct Question: Hashable, Sendable {
    /// The first byte that is wanted: what is there already.
    var offset: Int64
    /// The length of the whole asset, as the manifest says.
    var bytes: Int64
    /// The tag of what is there.
    var tag: StrongEntityTag?
    /// Whether the answer came behind a redirect.
    var isRedirected: Bool
    /// The address, without its query.
    var place: String
  }

  /// - Throws: `AttemptFailure` if the body is of no use.
  init(_ response: TransportResponse, to question: Question) throws(AttemptFailure) {
    try Self.checkStatus(of: response, question)
    if response.status == 416 {
      // What is whole is verified without a request: there is more to have, and the server says no.
      throw .startOver(
        .changed, "the server does not have byte \(question.offset) (\(question.place))")
    }
    let documents = [
      "text/html", "application/xhtml+xml", "text/xml", "application/xml", "application/json",
    ]
    try Self.checkContent(of: response, question, refusing: documents, wanted: "audio")
    self =
      try response.status == 206
      ? Self.part(response, question) : Self.whole(response, question)
  }

  /// 200: the asset from its first byte.
  private static func whole(
    _ response: TransportResponse, _ question: Question
  ) throws(AttemptFailure) -> ResponseVerdict {
    if let text = response[header: "Content-Length"] {
      let length = ContentRange.number(text)
      if length == 0, question.bytes > 0 {
        throw .startOver(.empty, "the server sent nothing (\(question.place))")
      }
      guard length == question.bytes else {
        throw unexpected(
          "the server has \(text.prefix(40)) bytes, the manifest says \(question.bytes)", question)
      }
    }
    return question.offset == 0 ? .append(until: question.bytes) : .replace
  }

  /// 206: what was asked for, or less.
  private static func part(
    _ response: TransportResponse, _ question: Question
  ) throws(AttemptFailure) -> ResponseVerdict {
    func changed(_ what: String) -> AttemptFailure {
      .startOver(.changed, "\(what) (\(question.place))")
    }
    guard question.offset > 0 else {
      throw changed("the server sent a part of what was asked for")
    }
    if response[header: "Content-Type"]?.lowercased().hasPrefix("multipart/") == true {
      throw changed("the server sent several parts in one")
    }
    let text = response[header: "Content-Range"]
    guard case .part(let first, let last, let total)? = ContentRange(text) else {
      throw changed("the server sent a part and does not say which")
    }
    guard total == question.bytes else {
      throw changed("the server has \(total) bytes, the manifest says \(question.bytes)")
    }
    guard first == question.offset else {
      throw changed("the server sent a part from byte \(first), not \(question.offset)")
    }
    if let length = response[header: "Content-Length"],
      ContentRange.number(length) != last - first + 1
    {
      throw changed("the server sent a part whose length and range differ")
    }
    if let tag = question.tag, let other = StrongEntityTag(response[header: "ETag"]), other != tag {
      throw changed("the file changed on the server")
    }
    return .append(until: last + 1)
  }

  // MARK: What fails whatever was asked for

  static func checkStatus(
    of response: TransportResponse, _ question: Question
  ) throws(AttemptFailure) {
    let status = response.status
    let answer = "the server answered \(status) (\(question.place))"
    switch status {
    case 200, 206: return
    case 416 where question.offset > 0: return
    case 429, 503:
      guard let pause = RetryAfter.pause(response[header: "Retry-After"]) else {
        throw .again(answer)
      }
      throw .busy(answer, after: pause)
    case 408, 425, 500..<600: throw .again(answer)
    case 403 where question.isRedirected: throw .redirectRefused(answer)
    default: throw .failed(DownloadFailure(.refused, answer, isResumable: false))
    }
  }

  /// Refuses a body that cannot be what is wanted, whatever its length: the page of a hotel's network, or
  /// compressed although that was refused.
  static func checkContent(
    of response: TransportResponse, _ question: Question, refusing types: [String], wanted: String
  ) throws(AttemptFailure) {
    if let encoding = response[header: "Content-Encoding"]?.lowercased(), !encoding.isEmpty,
      encoding != "identity"
    {
      throw .startOver(
        .encoded, "the server sent it encoded as \(encoding.prefix(40)) (\(question.place))")
    }
    let type = response[header: "Content-Type"].map {
      $0.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
    }
    if let type, types.contains(type) {
      throw unexpected("the server sent \(type), not \(wanted)", question)
    }
  }

  private static func unexpected(_ text: String, _ question: Question) -> AttemptFailure {
    .failed(DownloadFailure(.unexpectedContent, "\(text) (\(question.place))", isResumable: false))
  }
}
