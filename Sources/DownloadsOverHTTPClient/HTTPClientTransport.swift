import AsyncHTTPClient
public import Downloads
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// HTTP by AsyncHTTPClient, for Linux and for whoever has SwiftNIO at hand anyway.
///
/// Bodies are pulled: the connection is read no further ahead than a buffer.
public final class HTTPClientTransport: DownloadTransport {
  private let client: HTTPClient
  private let isShutDown = Mutex(false)

  public init() {
    var configuration = HTTPClient.Configuration(
      // Each hop is looked at above; a client would follow from https to http.
      redirectConfiguration: .disallow,
      // No read timeout: a watch above knows what is too slow, and a slow consumer is not.
      timeout: .init(connect: .seconds(15)))
    configuration.decompression = .disabled
    // One connection must not carry all assets: a stall of one would be the stall of all.
    configuration.httpVersion = .http1Only
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 4
    // Attempts are counted above, where each failure is seen.
    configuration.connectionPool.retryConnectionEstablishment = false
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  deinit {
    // The client ends the process where nobody shut it down.
    guard !isShutDown.withLock({ $0 }) else { return }
    client.shutdown { [client] _ in withExtendedLifetime(client) {} }
  }

  /// Closes all connections and waits for that. Without it they are closed some time after the transport
  /// is gone.
  public func shutdown() async throws {
    let isFirst = isShutDown.withLock { isShutDown in
      defer { isShutDown = true }
      return !isShutDown
    }
    if isFirst { try await client.shutdown() }
  }

  public func get(_ request: TransportRequest) async throws -> TransportResponse {
    var outgoing = HTTPClientRequest(url: request.address)
    for header in request.headers { outgoing.headers.add(name: header.name, value: header.value) }
    do {
      // The client has no limit for the body as a whole here: `deadline` ends at the head.
      let response = try await client.execute(outgoing, deadline: .distantFuture)
      return TransportResponse(
        status: Int(response.status.code),
        headers: response.headers.map { .init($0.name, $0.value) },
        body: HTTPClientBody(body: response.body))
    } catch {
      throw Self.failure(error, isHead: true)
    }
  }

  static func failure(_ error: any Error, isHead: Bool) -> any Error {
    if error is CancellationError { return CancellationError() }
    if let error = error as? HTTPClientError {
      switch error {
      case .cancelled: return CancellationError()
      case .remoteConnectionClosed:
        return TransportFailure(isHead ? .closedBeforeHead : .cut, "closed by the server")
      case .connectTimeout: return TransportFailure(.unreachable, "no connection in time")
      default: return TransportFailure(.other, error.shortDescription)
      }
    }
    switch error {
    case is NIOConnectionError: return TransportFailure(.unreachable, "nobody answers there")
    case let error as NIOSSLError: return TransportFailure(.insecure, "\(error)")
    case let error as NIOSSLExtraError: return TransportFailure(.insecure, "\(error)")
    case let error as HTTPParserError:
      // The parser meets the end of the connection within a body.
      if error == .invalidEOFState { return TransportFailure(.cut, "closed by the server") }
      return TransportFailure(.malformed, "\(error)")
    case let error as IOError:
      return TransportFailure(isHead ? .closedBeforeHead : .cut, "errno \(error.errnoCode)")
    default:
      return TransportFailure(isHead ? .other : .cut, String(describing: type(of: error)))
    }
  }
}

/// A body in chunks of bytes.
private struct HTTPClientBody: AsyncSequence, Sendable {
  let body: HTTPClientResponse.Body

  struct Iterator: AsyncIteratorProtocol {
    var chunks: HTTPClientResponse.Body.AsyncIterator

    mutating func next() async throws -> [UInt8]? {
      do {
        let chunk = try await chunks.next()
        // The client ends a body quietly where the task was cancelled.
        if chunk == nil { try Task.checkCancellation() }
        return chunk.map { Array($0.readableBytesView) }
      } catch {
        throw HTTPClientTransport.failure(error, isHead: false)
      }
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(chunks: body.makeAsyncIterator()) }
}
