import CatalogModel

/// What to do with a response to a request for an asset, judged by its head alone.
enum ResponseVerdict: Hashable, Sendable {
  /// The body goes behind what is there, up to this byte of the asset (not included).
  case append(until: Int64)
  /// The body is the whole asset, although a range was asked for: it takes the place of what is there.
  case replace
  case failure(AttemptFailure)

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

  init(_ response: TransportResponse, to question: Question) {
    switch Self.read(response, question) {
    case .success(let verdict): self = verdict
    case .failure(let failure): self = .failure(failure)
    }
  }

  private static func read(
    _ response: TransportResponse, _ question: Question
  ) -> Result<ResponseVerdict, AttemptFailure> {
    if let failure = failureOfStatus(response, question) { return .failure(failure) }
    if response.status == 416 {
      // What is whole is verified without a request: there is more to have, and the server says no.
      return .failure(
        .startOver(
          .init(
            cause: .changed,
            reason: "the server does not have byte \(question.offset) (\(question.place))")))
    }
    let documents = [
      "text/html", "application/xhtml+xml", "text/xml", "application/xml", "application/json",
    ]
    if let failure = failureOfContent(
      response, question, refusing: documents, wanted: "audio")
    {
      return .failure(failure)
    }
    if response.status == 206 { return part(response, question) }
    return whole(response, question)
  }

  /// 200: the asset from its first byte.
  private static func whole(
    _ response: TransportResponse, _ question: Question
  ) -> Result<ResponseVerdict, AttemptFailure> {
    if let text = response[header: "Content-Length"] {
      let length = ContentRange.number(text)
      if length == 0, question.bytes > 0 {
        return .failure(
          .startOver(.init(cause: .empty, reason: "the server sent nothing (\(question.place))")))
      }
      guard length == question.bytes else {
        return .failure(
          .failed(
            unexpected(
              "the server has \(text.prefix(40)) bytes, the manifest says \(question.bytes)",
              question)))
      }
    }
    return .success(question.offset == 0 ? .append(until: question.bytes) : .replace)
  }

  /// 206: what was asked for, or less.
  private static func part(
    _ response: TransportResponse, _ question: Question
  ) -> Result<ResponseVerdict, AttemptFailure> {
    func changed(_ what: String) -> Result<ResponseVerdict, AttemptFailure> {
      .failure(.startOver(.init(cause: .changed, reason: "\(what) (\(question.place))")))
    }
    guard question.offset > 0 else {
      return changed("the server sent a part of what was asked for")
    }
    if response[header: "Content-Type"]?.lowercased().hasPrefix("multipart/") == true {
      return changed("the server sent several parts in one")
    }
    let text = response[header: "Content-Range"]
    guard case .part(let first, let last, let total)? = ContentRange(text) else {
      return changed("the server sent a part and does not say which")
    }
    guard total == question.bytes else {
      return changed("the server has \(total) bytes, the manifest says \(question.bytes)")
    }
    guard first == question.offset else {
      return changed("the server sent a part from byte \(first), not \(question.offset)")
    }
    if let length = response[header: "Content-Length"],
      ContentRange.number(length) != last - first + 1
    {
      return changed("the server sent a part whose length and range differ")
    }
    if let tag = question.tag, let other = StrongEntityTag(response[header: "ETag"]), other != tag {
      return changed("the file changed on the server")
    }
    return .success(.append(until: last + 1))
  }

  // MARK: What fails whatever was asked for

  static func failureOfStatus(
    _ response: TransportResponse, _ question: Question
  ) -> AttemptFailure? {
    let status = response.status
    let answer = "the server answered \(status) (\(question.place))"
    switch status {
    case 200, 206: return nil
    case 416 where question.offset > 0: return nil
    case 429, 503:
      guard let pause = RetryAfter.pause(response[header: "Retry-After"]) else {
        return .again(answer)
      }
      return .busy(answer, after: pause)
    case 408, 425, 500..<600: return .again(answer)
    case 403 where question.isRedirected: return .redirectRefused(answer)
    default: return .failed(DownloadFailure(.refused, answer, isResumable: false))
    }
  }

  /// A body that cannot be what is wanted, whatever its length: the page of a hotel's network, or
  /// compressed although that was refused.
  static func failureOfContent(
    _ response: TransportResponse, _ question: Question, refusing types: [String], wanted: String
  ) -> AttemptFailure? {
    if let encoding = response[header: "Content-Encoding"]?.lowercased(), !encoding.isEmpty,
      encoding != "identity"
    {
      return .startOver(
        .init(
          cause: .encoded,
          reason: "the server sent it encoded as \(encoding.prefix(40)) (\(question.place))"))
    }
    let type = response[header: "Content-Type"].map {
      $0.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
    }
    if let type, types.contains(type) {
      return .failed(unexpected("the server sent \(type), not \(wanted)", question))
    }
    return nil
  }

  private static func unexpected(_ text: String, _ question: Question) -> DownloadFailure {
    DownloadFailure(.unexpectedContent, "\(text) (\(question.place))", isResumable: false)
  }
}
