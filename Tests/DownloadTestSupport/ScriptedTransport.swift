import Downloads

/// A transport that says what a test wants, without any server.
struct ScriptedTransport: DownloadTransport {
  let reply: @Sendable (TransportRequest) async throws -> TransportResponse

  init(_ reply: @escaping @Sendable (TransportRequest) async throws -> TransportResponse) {
    self.reply = reply
  }

  func get(_ request: TransportRequest) async throws -> TransportResponse {
    try await reply(request)
  }
}

struct ScriptedBody: AsyncSequence, Sendable {
  typealias Element = [UInt8]
  typealias Failure = any Error

  let chunks: [[UInt8]]

  struct Iterator: AsyncIteratorProtocol {
    var rest: ArraySlice<[UInt8]>

    mutating func next() async throws -> [UInt8]? { rest.popFirst() }
  }

  func makeAsyncIterator() -> Iterator { Iterator(rest: chunks[...]) }
}
