package import CatalogModel

/// Brings a small document into memory: a pack's manifest, what an archive says of a recording.
package struct DocumentDownload: Sendable {
  private let address: DownloadAddress
  private let limit: Int
  private let opening: ResourceOpening
  /// What errors call it.
  private let wanted: String
  private let policy: DownloadPolicy

  /// - Parameters:
  ///   - limit: the most bytes that are taken.
  ///   - wanted: what errors call it.
  package init(
    _ address: DownloadAddress, limit: Int, transport: any DownloadTransport,
    policy: DownloadPolicy, wanted: String = "manifest"
  ) {
    self.wanted = wanted
    self.address = address
    self.limit = limit
    self.policy = policy
    opening = ResourceOpening(transport: transport, policy: policy)
  }

  /// - Throws: `DownloadFailure`, `CancellationError`.
  package func run() async throws -> [UInt8] {
    var retryBudget = RetryBudget(policy)
    while true {
      do {
        return try await attempt()
      } catch let failure as AttemptFailure {
        let pause = try retryBudget.pause(after: failure, progress: 0)
        if pause > .zero { try await Task.sleep(for: pause) }
      }
    }
  }

  private func attempt() async throws -> [UInt8] {
    let opened = try await opening.open(
      address, headers: [.init("Accept-Encoding", "identity"), .init("Accept", "application/json")])
    let response = opened.response
    let question = ResponseVerdict.Question(
      offset: 0, bytes: 0, tag: nil, isRedirected: opened.isRedirected,
      place: address.withoutQuery)
    try ResponseVerdict.checkStatus(of: response, question)
    guard response.status == 200 else {
      throw AttemptFailure.failed(
        DownloadFailure(
          .refused, "the server answered \(response.status) (\(address.withoutQuery))",
          isResumable: false))
    }
    try ResponseVerdict.checkContent(
      of: response, question, refusing: ["text/html", "application/xhtml+xml"], wanted: wanted)
    if let length = ContentRange.number(response[header: "Content-Length"] ?? ""), length > limit {
      throw tooLarge
    }
    do {
      guard let bytes = try await response.collect(atMost: limit, policy) else { throw tooLarge }
      return bytes
    } catch is TransferStalled {
      throw AttemptFailure.again(
        "the server sent too little in the time allowed (\(address.withoutQuery))")
    } catch let failure as TransportFailure {
      throw AttemptFailure.again("\(failure) (\(address.withoutQuery))")
    }
  }

  private var tooLarge: AttemptFailure {
    .failed(
      DownloadFailure(
        .manifest, "the \(wanted) has more than \(limit) bytes (\(address.withoutQuery))",
        isResumable: false))
  }
}
