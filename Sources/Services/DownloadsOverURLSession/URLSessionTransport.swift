public import Downloads
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Downloads over URLSession: at home on Apple's platforms, a second choice on Linux.
///
/// On Linux, where the Foundation library is another one:
/// - A body cannot be held back. It is buffered as far as 64 MiB beyond what was read; a reader slower
///   than that loses its request with `.other` (measured: the process grew by 74 MiB).
/// - Contents under gzip or deflate are decoded whatever `Accept-Encoding` says, and the headers still name
///   the encoding and the length before decoding.
/// - A server that closes the connection within the head ends this process: the library traps. Not for
///   servers that are not trusted.
/// - A proxy of the environment (`http_proxy`, `https_proxy`, `all_proxy`) cannot be passed by for single requests: one
///   to this machine's own addresses, which a proxy would read, is refused unless `no_proxy` names the host.
/// - Header lines after a body in chunks are dropped uncounted; the time limit of a body without progress ends them.
///
/// Headers come sorted by name, several of a name as one: the session does not tell how they came. A
/// response keeps its transport alive.
///
/// No time limits but the system's for making a connection: a server that says nothing keeps a request
/// waiting until its task is cancelled.
public final class URLSessionTransport: DownloadTransport {
  /// How much of a body is held beyond what was read, in bytes.
  public static let bufferLimit = 64 << 20

  /// More than any policy has requests at once: one that waited for a connection would use up its time limits.
  private static let connectionsPerHost = 1_000
  /// In seconds. Watchdogs stand above: this is only not to be in their way.
  private static let idleLimit: TimeInterval = 24 * 60 * 60

  private let session: URLSession
  private let exchanges = Exchanges()
  /// For this machine's own addresses: asks no proxy. Tasks of two sessions have the same numbers.
  private let directSession: URLSession
  private let directExchanges = Exchanges()

  public init() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = Self.connectionsPerHost
    configuration.timeoutIntervalForRequest = Self.idleLimit
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    #if canImport(FoundationNetworking)
      // The libcurl below it would write every session's secrets to that file.
      unsetenv("SSLKEYLOGFILE")
    #endif
    session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    configuration.connectionProxyDictionary = [:]
    directSession = URLSession(
      configuration: configuration, delegate: directExchanges, delegateQueue: nil)
  }

  deinit {
    // A session holds its delegate until it is invalidated.
    shutdown()
  }

  /// Ends all connections. Requests under way fail; later ones must not be made.
  public func shutdown() {
    session.invalidateAndCancel()
    directSession.invalidateAndCancel()
  }

  public func get(_ request: TransportRequest) async throws -> TransportResponse {
    let scheme = request.address.prefix { $0 != ":" }.lowercased()
    guard scheme == "http" || scheme == "https", let url = URL(string: request.address) else {
      throw TransportFailure(.other, "the address is neither http nor https")
    }
    let isDirect = request.isToThisMachine
    #if canImport(FoundationNetworking)
      if isDirect, let proxy = EnvironmentProxy.variable(for: url) {
        throw TransportFailure(
          .unusable,
          "the environment's \(proxy) would let a proxy read a request to this machine; name "
            + "\(url.host ?? "the host") in no_proxy")
      }
    #endif
    try Task.checkCancellation()
    var message = URLRequest(url: url)
    message.timeoutInterval = Self.idleLimit
    message.httpShouldHandleCookies = false
    for header in request.headers {
      message.addValue(header.value, forHTTPHeaderField: header.name)
    }
    let task = (isDirect ? directSession : session).dataTask(with: message)
    let exchange = Exchange(task: task)
    (isDirect ? directExchanges : exchanges).add(exchange)
    task.resume()
    let head = try await withTaskCancellationHandler {
      try await exchange.head()
    } onCancel: {
      exchange.cancel()
    }
    return TransportResponse(
      status: head.status, headers: head.headers,
      body: URLSessionBody(lease: ExchangeLease(exchange, of: self)))
  }
}

private struct URLSessionBody: AsyncSequence, Sendable {
  typealias Element = [UInt8]
  typealias Failure = any Error

  let lease: ExchangeLease

  func makeAsyncIterator() -> Iterator {
    Iterator(lease: lease)
  }

  struct Iterator: AsyncIteratorProtocol {
    let lease: ExchangeLease

    mutating func next() async throws -> [UInt8]? {
      let exchange = lease.exchange
      return try await withTaskCancellationHandler {
        try await exchange.chunk()
      } onCancel: {
        exchange.cancel()
      }
    }
  }
}
