public import Downloads

#if os(Linux)
  import DownloadsOverCurl
#else
  import DownloadsOverURLSession
#endif

/// Downloads by the HTTP client that the system has, and keeps secure: libcurl on Linux, URLSession elsewhere.
///
/// ```swift
/// let transport = SystemTransport()
/// defer { transport.shutdown() }
/// ```
public struct SystemTransport: DownloadTransport {
  #if os(Linux)
    private let client = CurlTransport()
  #else
    private let client = URLSessionTransport()
  #endif

  public init() {}

  public func get(_ request: TransportRequest) async throws -> TransportResponse {
    try await client.get(request)
  }

  /// Ends all connections; requests under way fail.
  public func shutdown() { client.shutdown() }
}
