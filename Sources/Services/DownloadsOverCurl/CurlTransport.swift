public import Downloads
import Support
import Synchronization

/// Downloads over the system's libcurl: bodies are pulled, and a slow reader slows the server down.
///
/// libcurl 7.68 or newer is loaded by the first request; nothing is linked. Updates of the system mend it, and it
/// trusts the certificates that the system trusts. It asks through a proxy where the environment names one
/// (`http_proxy`, `https_proxy`, `no_proxy`), but for this machine's own addresses (`localhost`, `127.…`, `[::1]`): a
/// proxy reads what is sent over plain http. Of https it reads host and port. `SSLKEYLOGFILE` is removed from the
/// environment before the library is loaded, so that no session's secrets are written to that file.
///
/// HTTP/1.1, a connection for each request under way: how many there are at once is the caller's to limit
/// (`DownloadPolicy.parallelAssets`). A request that waited for a connection would use up its time limits. A connection
/// may take ten seconds to be made, its handshake included. No other time limits: a server that says nothing keeps a request
/// waiting until its task is cancelled. Where the server closes a kept-alive connection as the request leaves, it is sent
/// again on a new one. A response keeps its transport alive.
///
/// A head may have 256 KiB, and the header lines after a body in chunks 64 KiB. A megabyte of a body is held beyond what was read; what came before a connection broke
/// is read before the error.
///
/// ```swift
/// let manager = PackDownloadManager(catalog, transport: CurlTransport())
/// ```
///
/// The calls are those of https://curl.se/libcurl/c/libcurl-multi.html.
public final class CurlTransport: DownloadTransport {
  private enum State {
    case idle
    case running(CurlLoop, BackgroundWork<Void>)
    case shutDown
  }

  private let authorities: String?
  private let state = Mutex(State.idle)

  /// - Parameter authorities: a file of certificates in PEM that are trusted in the place of the system's.
  public init(authorities: String? = nil) {
    self.authorities = authorities
  }

  deinit {
    shutdown()
  }

  /// Ends all connections, and waits for that, some milliseconds. Requests under way fail, and so do later ones.
  /// Again: does nothing.
  public func shutdown() {
    let ended = state.withLock { state in
      defer { state = .shutDown }
      return state
    }
    guard case .running(let loop, let thread) = ended else { return }
    loop.close()
    thread.wait()
  }

  public func get(_ request: TransportRequest) async throws -> TransportResponse {
    // libcurl itself would guess a scheme.
    let scheme = request.address.prefix { $0 != ":" }.lowercased()
    guard scheme == "http" || scheme == "https" else {
      throw TransportFailure(.other, "the address is neither http nor https")
    }
    // To a C library a zero would end it.
    guard request.address.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      throw TransportFailure(.other, "the address has blanks or control characters")
    }
    for header in request.headers where !Self.canBeSent(header) {
      throw TransportFailure(.other, "the header \(header.name.debugDescription) cannot be sent")
    }
    try Task.checkCancellation()
    let transfer = CurlTransfer(request, authorities: authorities)
    let loop = try loop()
    loop.begin(transfer)
    let head = try await withTaskCancellationHandler {
      try await transfer.responseHead()
    } onCancel: {
      loop.cancel(transfer)
    }
    return TransportResponse(
      status: head.status, headers: head.headers,
      body: CurlBody(lease: CurlLease(transfer, of: loop, transport: self)))
  }

  private func loop() throws(TransportFailure) -> CurlLoop {
    try state.withLock { state throws(TransportFailure) in
      switch state {
      case .running(let loop, _) where !loop.isClosed: return loop
      case .running(_, let thread): thread.wait()
      case .shutDown: throw TransportFailure(.other, "the HTTP client was shut down")
      case .idle: break
      }
      state = .idle
      let loop = try CurlLoop()
      do {
        let thread = try BackgroundWork {
          CurlLoop.blockBrokenPipes()
          loop.run()
        }
        state = .running(loop, thread)
      } catch {
        // Frees what it has; there is nothing to run.
        loop.close()
        loop.run()
        throw TransportFailure(.other, "\(error)")
      }
      return loop
    }
  }

  /// Whether a header is one: libcurl sends line breaks as they are, and with them whatever stands behind.
  private static func canBeSent(_ header: TransportRequest.Header) -> Bool {
    let isName =
      !header.name.isEmpty
      && header.name.utf8.allSatisfy {
        (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: ";")
      }
    return isName && header.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
  }
}

/// Held by the reader alone: when it lets go, the request ends.
private final class CurlLease: Sendable {
  private let transfer: CurlTransfer
  private let loop: CurlLoop
  /// Kept: else the loop would end in the middle of a body whose transport nobody holds.
  private let transport: CurlTransport

  init(_ transfer: CurlTransfer, of loop: CurlLoop, transport: CurlTransport) {
    self.transfer = transfer
    self.loop = loop
    self.transport = transport
  }

  deinit {
    loop.cancel(transfer)
  }

  func chunk() async throws -> [UInt8]? {
    try await withTaskCancellationHandler {
      try await transfer.chunk(from: loop)
    } onCancel: {
      loop.cancel(transfer)
    }
  }
}

private struct CurlBody: AsyncSequence, Sendable {
  typealias Element = [UInt8]
  typealias Failure = any Error

  let lease: CurlLease

  func makeAsyncIterator() -> Iterator { Iterator(lease: lease) }

  struct Iterator: AsyncIteratorProtocol {
    let lease: CurlLease

    mutating func next() async throws -> [UInt8]? { try await lease.chunk() }
  }
}
