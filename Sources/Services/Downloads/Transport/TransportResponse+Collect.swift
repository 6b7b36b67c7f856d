extension TransportResponse {
  /// The whole body; nil if it has more bytes than that.
  ///
  /// - Throws: `TransferStalled`, `TransportFailure`, `CancellationError`.
  package func collect(atMost limit: Int, _ policy: DownloadPolicy) async throws -> [UInt8]? {
    let body = body
    return try await withStallWatch(policy) { watch in
      var bytes: [UInt8] = []
      for try await chunk in body {
        watch.add(chunk.count)
        guard bytes.count + chunk.count <= limit else { return nil }
        bytes += chunk
      }
      return bytes
    }
  }
}
