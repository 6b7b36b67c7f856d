package import Downloads

/// A transport that says what a test wants, without any server.
package struct ScriptedTransport: DownloadTransport {
  let reply: @Sendable (TransportRequest) async throws -> TransportResponse

  package init(
    _ reply: @escaping @Sendable (TransportRequest) async throws -> TransportResponse
  ) {
    self.reply = reply
  }

  package func get(_ request: TransportRequest) async throws -> TransportResponse {
    try await reply(request)
  }
}

package struct ScriptedBody: AsyncSequence, Sendable {
  package typealias Element = [UInt8]
  package typealias Failure = any Error

  let chunks: [[UInt8]]

  package init(chunks: [[UInt8]]) {
    self.chunks = chunks
  }

  package struct Iterator: AsyncIteratorProtocol {
    var rest: ArraySlice<[UInt8]>

    package mutating func next() async throws -> [UInt8]? { rest.popFirst() }
  }

  package func makeAsyncIterator() -> Iterator { Iterator(rest: chunks[...]) }
}

extension ScriptedTransport {
  /// A server of packs that is always right and knows ranges, without a network.
  ///
  /// - Parameters:
  ///   - address: of the folder in which the packs lie, as in their manifests.
  ///   - chunk: how many bytes of a body come at a time.
  package static func serving(
    _ packs: [ServedPack], at address: String, chunk: Int
  ) throws -> ScriptedTransport {
    var files: [String: [UInt8]] = [:]
    for pack in packs {
      files["\(address)/\(pack.manifestName)"] = try pack.manifest(at: address)
      for asset in pack.assets { files["\(address)/\(asset.name)"] = asset.bytes }
    }
    let served = files
    return ScriptedTransport { request in
      guard let bytes = served[request.address] else {
        return TransportResponse(status: 404, headers: [], body: ScriptedBody(chunks: []))
      }
      let range = request.headers.first { $0.name == "Range" }?.value
      let start = range.flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
      let body = stride(from: start, to: bytes.count, by: chunk).map {
        Array(bytes[$0..<min($0 + chunk, bytes.count)])
      }
      var headers: [TransportRequest.Header] = [
        .init("Content-Length", "\(bytes.count - start)"),
        .init("ETag", "\"\(ServedPack.hash(bytes).prefix(16))\""),
      ]
      if range != nil {
        headers.append(
          .init("Content-Range", "bytes \(start)-\(bytes.count - 1)/\(bytes.count)"))
      }
      return TransportResponse(
        status: range == nil ? 200 : 206, headers: headers, body: ScriptedBody(chunks: body))
    }
  }
}
