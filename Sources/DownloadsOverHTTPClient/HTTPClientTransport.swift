import AsyncHTTPClient
import Dispatch
public import Downloads
import NIOCore
import NIOHTTP1
import Synchronization

/// Downloads over AsyncHTTPClient: bodies are pulled, and a slow reader slows the server down.
///
/// At most four connections a host; a request that finds them all busy waits for one as long as a
/// connection may take to be made (ten seconds), then fails with `.other`. No other time limits: a server
/// that says nothing keeps a request waiting until its task is cancelled. A kept-alive connection that the
/// server closes as the request leaves fails with `.closedBeforeHead`: ask again.
/// A response keeps its transport alive.
///
/// What came but was not read yet when a connection broke is lost: up to some hundred KiB (measured: 69 KB
/// of 100, 213 KB of 1 MB). Never are bytes wrong or out of order.
///
/// The HTTP client is its own, so that `shutdown()` ends its connections and nobody else's.
public final class HTTPClientTransport: DownloadTransport {
  private static let connectTimeout = TimeAmount.seconds(10)
  private static let connectionsPerHost = 4

  private let client: HTTPClient
  private let isShutDown = Mutex(false)

  public init() {
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.decompression = .disabled
    // HTTP/1 only: the limit of connections means nothing to HTTP/2, whose one connection would cut all
    // downloads of a host when it breaks, and whose window of 64 KiB slows a long way down.
    configuration.httpVersion = .http1Only
    configuration.timeout.connect = Self.connectTimeout
    configuration.timeout.read = nil
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
      Self.connectionsPerHost
    // Else a refused connection is tried again, silently, until the connect timeout.
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.http1_1ConnectionDebugInitializer = { StatusGuard.add(to: $0) }
    client = HTTPClient(configuration: configuration)
  }

  deinit {
    // The client traps where it is let go of while it runs. Nobody is left to be told of an error.
    guard !isShutDown.withLock({ $0 }) else { return }
    client.shutdown(queue: .global()) { _ in }
  }

  /// Ends all connections. Requests under way fail, and so do later ones. Again: does nothing.
  public func shutdown() async throws {
    let isFirst = isShutDown.withLock { isShutDown in
      defer { isShutDown = true }
      return !isShutDown
    }
    if isFirst { try await client.shutdown() }
  }

  public func get(_ request: TransportRequest) async throws -> TransportResponse {
    // The client itself would also take unix sockets.
    let scheme = request.address.prefix { $0 != ":" }.lowercased()
    guard scheme == "http" || scheme == "https" else {
      throw TransportFailure(.other, "the address is neither http nor https")
    }
    var message = HTTPClientRequest(url: request.address)
    for header in request.headers { message.headers.add(name: header.name, value: header.value) }
    do {
      try Task.checkCancellation()
      let response = try await client.execute(message, deadline: .distantFuture)
      try Task.checkCancellation()
      return TransportResponse(
        status: Int(response.status.code),
        headers: response.headers.map { TransportRequest.Header($0.name, $0.value) },
        body: HTTPClientBody(body: response.body, transport: self))
    } catch {
      throw transportError(error, inBody: false)
    }
  }
}

/// A response's body, with the client's errors put into ours.
private struct HTTPClientBody: AsyncSequence, Sendable {
  typealias Element = [UInt8]
  typealias Failure = any Error

  let body: HTTPClientResponse.Body
  /// Kept: else the client would be shut down in the middle of a body whose transport nobody holds.
  let transport: HTTPClientTransport

  func makeAsyncIterator() -> Iterator {
    Iterator(chunks: body.makeAsyncIterator(), transport: transport)
  }

  struct Iterator: AsyncIteratorProtocol {
    var chunks: HTTPClientResponse.Body.AsyncIterator
    let transport: HTTPClientTransport

    mutating func next() async throws -> [UInt8]? {
      do {
        let chunk = try await chunks.next()
        // A cancelled sequence may also just end, which would look like a whole body.
        try Task.checkCancellation()
        return chunk.map { [UInt8]($0.readableBytesView) }
      } catch {
        throw transportError(error, inBody: true)
      }
    }
  }
}
