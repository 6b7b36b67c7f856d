import Downloads

#if os(Linux)
  import DownloadsOverCurl
#else
  import DownloadsOverURLSession
#endif

/// Downloads by the HTTP client that the system has, and keeps secure.
struct ArchiveTransport: DownloadTransport {
  #if os(Linux)
    private let client = CurlTransport()
  #else
    private let client = URLSessionTransport()
  #endif

  func get(_ request: TransportRequest) async throws -> TransportResponse {
    try await client.get(request)
  }

  /// Ends all connections; requests under way fail.
  func shutdown() { client.shutdown() }
}
