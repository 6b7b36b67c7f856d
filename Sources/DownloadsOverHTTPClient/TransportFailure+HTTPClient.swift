import AsyncHTTPClient
import Downloads
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What an error of the client means. Texts are made here or are names of cases: none holds an address.
func transportError(_ error: any Error, inBody: Bool) -> any Error {
  if error is CancellationError || Task.isCancelled { return CancellationError() }
  let closed = inBody ? TransportFailure.Kind.cut : .closedBeforeHead
  switch error {
  case let failure as TransportFailure:
    return failure
  case let error as HTTPClientError:
    return clientFailure(error, closed: closed)
  case let error as NIOConnectionError:
    return connectionFailure(error)
  case let error as IOError:
    return systemFailure(error, inBody: inBody)
  case let error as ChannelError:
    if case .connectTimeout = error {
      return TransportFailure(.unreachable, "no connection in time")
    }
    return TransportFailure(closed, "the connection is closed")
  case let error as HTTPParserError:
    switch error {
    case .invalidEOFState, .closedConnection:
      return TransportFailure(closed, "the connection ended within the answer")
    default: return TransportFailure(.malformed, "\(error)")
    }
  case let error as NIOSSLError:
    if case .uncleanShutdown = error {
      return TransportFailure(closed, "the secure connection ended without a goodbye")
    }
    return TransportFailure(.insecure, "\(error)")
  case is NIOSSLExtraError, is BoringSSLError:
    return TransportFailure(.insecure, "\(error)")
  default:
    return TransportFailure(.other, "the HTTP client failed: \(type(of: error))")
  }
}

private func clientFailure(
  _ error: HTTPClientError, closed: TransportFailure.Kind
) -> TransportFailure {
  let text = error.shortDescription
  return switch error {
  case .remoteConnectionClosed: TransportFailure(closed, "the server closed the connection")
  case .uncleanShutdown: TransportFailure(closed, text)
  case .connectTimeout: TransportFailure(.unreachable, "no connection in time")
  case .tlsHandshakeTimeout: TransportFailure(.insecure, "no handshake in time")
  case .getConnectionFromPoolTimeout:
    TransportFailure(.other, "all connections to the host stayed busy")
  case .cancelled, .alreadyShutdown: TransportFailure(.other, "the HTTP client was shut down")
  default: TransportFailure(.other, text)
  }
}

private func connectionFailure(_ error: NIOConnectionError) -> TransportFailure {
  for attempt in error.connectionErrors {
    if let error = attempt.error as? IOError { return systemFailure(error, inBody: false) }
  }
  let hasNoAddress = error.dnsAError != nil || error.dnsAAAAError != nil
  return TransportFailure(
    .unreachable, hasNoAddress ? "no address for \(error.host)" : "no connection in time")
}

private func systemFailure(_ error: IOError, inBody: Bool) -> TransportFailure {
  let text = String(cString: strerror(error.errnoCode))
  return switch (inBody, error.errnoCode) {
  case (true, _): TransportFailure(.cut, text)
  case (false, ECONNRESET), (false, EPIPE), (false, ENOTCONN):
    TransportFailure(.closedBeforeHead, text)
  default: TransportFailure(.unreachable, text)
  }
}
