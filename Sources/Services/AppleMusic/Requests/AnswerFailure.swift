import CatalogModel
import Downloads

/// What an answer without status 200 means.
struct AnswerFailure: Sendable {
  /// Bytes of an error document.
  private static let documentLimit = 64 << 10

  private let response: TransportResponse
  private let place: String
  private let policy: DownloadPolicy
  private let secret: SecretRedactor

  /// - Parameter place: the address, without its query.
  init(
    _ response: TransportResponse, place: String, policy: DownloadPolicy,
    hiding secret: SecretRedactor
  ) {
    self.response = response
    self.place = place
    self.policy = policy
    self.secret = secret
  }

  /// Reads the error document, if there is one.
  ///
  /// - Returns: a `FailedAttempt` where another attempt may help, else an `AppleMusicError`.
  /// - Throws: `CancellationError`.
  func error() async throws -> any Error {
    let status = response.status
    guard status >= 400, status < 600 else { return unexpected }
    let items = try await items()
    var answer = "the server answered \(status) (\(place))"
    if let first = items.first { answer += ": \(Self.summary(first))" }
    switch status {
    case 429: return setback(answer, .rateLimited, items)
    case 500...: return setback(answer, .serverFailed, items)
    case 408: return setback(answer, .network, items)
    case 401:
      return AppleMusicError(
        .tokenRefused,
        "\(answer); create a new developer token, or check key file, key id and team id",
        errors: items)
    case 403:
      return AppleMusicError(
        .forbidden,
        "\(answer); check that the key has media services enabled and that the user agreed",
        errors: items)
    case 404, 410: return notFound(answer, items)
    default: return invalidRequest(answer, items)
    }
  }

  /// Only what the API itself says of a playlist counts: callers keep that it is gone.
  private func notFound(_ answer: String, _ items: [AppleMusicError.Item]) -> AppleMusicError {
    guard items.contains(where: { $0.status == "\(response.status)" }) else {
      return AppleMusicError(
        .unexpectedContent,
        "\(answer), without the error document of Apple Music; check the base address",
        errors: items)
    }
    // It says nothing of the playlist where it does not know the storefront.
    if items.contains(where: { $0.source?.hasPrefix("parameter ") == true }) {
      return invalidRequest(answer, items)
    }
    return AppleMusicError(
      .notFound, "\(answer); it was removed, or is not in this storefront", errors: items)
  }

  private func invalidRequest(
    _ answer: String, _ items: [AppleMusicError.Item]
  ) -> AppleMusicError {
    AppleMusicError(
      .invalidRequest, "\(answer); check the playlist's id and the storefront", errors: items)
  }

  private func setback(
    _ answer: String, _ code: AppleMusicError.Code, _ items: [AppleMusicError.Item]
  ) -> FailedAttempt {
    guard let pause = RetryAfter.pause(response[header: "Retry-After"]) else {
      return FailedAttempt(.again(answer), code: code, items: items)
    }
    return FailedAttempt(.busy(answer, after: pause), code: code, items: items)
  }

  private var unexpected: AppleMusicError {
    let status = response.status
    guard status >= 300, status < 400 else {
      return AppleMusicError(
        .unexpectedContent, "the server answered \(status) (\(place)); try again later")
    }
    return AppleMusicError(
      .unsafeAddress,
      "the server answered \(status), a redirect (\(place)); it was not followed, because the developer "
        + "token would leak: check the base address")
  }

  /// Empty where the body is no error document, or does not come: the status says enough.
  private func items() async throws -> [AppleMusicError.Item] {
    do {
      let bytes = try await response.collect(atMost: Self.documentLimit, policy)
      // Before a message shows the first part of a long text: it could be the first part of the token.
      return (bytes.map(ErrorDocument.items) ?? []).map { $0.hiding(secret) }
    } catch is TransferStalled {
      return []
    } catch is TransportFailure {
      try Task.checkCancellation()
      return []
    }
  }

  private static func summary(_ item: AppleMusicError.Item) -> String {
    var parts = [item.title]
    if let detail = item.detail, detail != item.title { parts.append(detail) }
    if let source = item.source { parts.append(source) }
    let text = parts.filter { !$0.isEmpty }.map { JSONExcerpt.printable($0) }
    return text.isEmpty ? "code \(JSONExcerpt.printable(item.code))" : text.joined(separator: ", ")
  }
}
