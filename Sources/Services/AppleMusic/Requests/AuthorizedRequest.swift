import CatalogModel
import Downloads

/// One GET of a JSON document with the developer token, tried again where that may help.
struct AuthorizedRequest: Sendable {
  /// Bytes of a document: a page of 100 tracks has some 200 KB.
  private static let documentLimit = 16 << 20

  let address: DownloadAddress
  let transport: any DownloadTransport
  let tokens: any DeveloperTokenSource
  let policy: DownloadPolicy

  /// The address as errors name it.
  var place: String { address.withoutQuery }

  /// - Returns: a document without the token: what the caller keeps of it goes into a log that keeps it for ever.
  /// - Throws: `AppleMusicError`, `CancellationError`, and what the token source throws.
  func run() async throws -> JSONDocument {
    var retryBudget = RetryBudget(policy)
    try Task.checkCancellation()
    while true {
      // Asked for each attempt: pauses may be longer than what is left of a token's life.
      let token = try await DeveloperTokenText.sendable(tokens.token())
      let secret = SecretRedactor(token)
      let setback: FailedAttempt
      do {
        let document = try JSONDocument(try await attempt(token, secret), from: place)
        guard !secret.isIn(document.root) else { throw tokenSentBack }
        return document
      } catch let failed as FailedAttempt {
        setback = failed
      } catch let error as AppleMusicError {
        throw error.hiding(secret)
      }
      // A transport may tell of its cancelled task as of a broken connection.
      try Task.checkCancellation()
      let pause: Duration
      do throws(DownloadFailure) {
        pause = try retryBudget.pause(after: setback.failure, progress: 0)
      } catch {
        throw setback.error(error).hiding(secret)
      }
      if pause > .zero { try await Task.sleep(for: pause) }
    }
  }

  private func attempt(_ token: String, _ secret: SecretRedactor) async throws -> [UInt8] {
    let request = TransportRequest(
      address: address.text,
      headers: [
        .init("Authorization", "Bearer \(token)"), .init("Accept", "application/json"),
        .init("Accept-Encoding", "identity"),
      ])
    let response: TransportResponse
    do {
      response = try await ResourceOpening(transport: transport, policy: policy)
        .head(of: request, at: address)
    } catch let failure as AttemptFailure {
      throw FailedAttempt(failure, code: .network)
    }
    // Before an error shows some of a header, shortened or in other letters.
    guard !response.headers.contains(where: { secret.isIn($0.name) || secret.isIn($0.value) })
    else { throw tokenSentBack }
    guard response.status == 200 else {
      throw try await AnswerFailure(response, place: place, policy: policy, hiding: secret).error()
    }
    try checkContent(response)
    guard let bytes = try await body(of: response) else { throw tooLarge }
    return bytes
  }

  private func checkContent(_ response: TransportResponse) throws(AppleMusicError) {
    func word(_ header: String) -> String? {
      response[header: header].map {
        $0.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
      }
    }
    let type = word("Content-Type")
    guard type == "application/json" else {
      throw unexpected(
        "\(type.map { JSONExcerpt.printable($0) } ?? "something without a content type"), no "
          + "application/json")
    }
    if let encoding = word("Content-Encoding"), !encoding.isEmpty, encoding != "identity" {
      throw unexpected("it encoded as \(JSONExcerpt.printable(encoding)), unasked")
    }
    if let length = ContentRange.number(response[header: "Content-Length"] ?? ""),
      length > Self.documentLimit
    {
      throw tooLarge
    }
  }

  /// Nil where it is too large.
  private func body(of response: TransportResponse) async throws -> [UInt8]? {
    do {
      return try await response.collect(atMost: Self.documentLimit, policy)
    } catch is TransferStalled {
      throw FailedAttempt(
        .again("the server sent too little in the time allowed (\(place))"), code: .network)
    } catch let failure as TransportFailure {
      throw FailedAttempt(.again("\(failure) (\(place))"), code: .network)
    }
  }

  private var tokenSentBack: AppleMusicError {
    unexpected("back the developer token; its answer is not used")
  }

  private var tooLarge: AppleMusicError {
    unexpected("more than \(Self.documentLimit) bytes")
  }

  private func unexpected(_ what: String) -> AppleMusicError {
    AppleMusicError(
      .unexpectedContent,
      "the server sent \(what) (\(place)); check the base address, and try again later")
  }
}
