import CatalogModel

/// Sends one HTTP request and hands out what comes back: all that is asked of an HTTP client.
///
/// Ranges, retries, redirects, time limits and checks stand above it, once for every client.
public protocol DownloadTransport: Sendable {
  /// Sends a GET and returns when the head of the response has come.
  ///
  /// Redirects are not followed, contents are not decoded, nothing is cached and no cookies are kept.
  /// Ends at once where its task is cancelled, and throws `CancellationError` then. Requests to this machine's own
  /// addresses go through no proxy. No request waits for another one: the callers limit how many there are.
  ///
  /// - Throws: `TransportFailure` if no head came.
  func get(_ request: TransportRequest) async throws -> TransportResponse
}

/// A GET.
public struct TransportRequest: Hashable, Sendable {
  /// An absolute http or https address. Its query may be a secret.
  public var address: String
  /// Names and values, as they are to be sent.
  public var headers: [Header]

  public struct Header: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  public init(address: String, headers: [Header] = []) {
    self.address = address
    self.headers = headers
  }

  /// Whether the address is one of this machine: nobody between may read the request, so it goes to no proxy.
  package var isToThisMachine: Bool { DownloadAddress.isThisMachine(address) }
}

/// The head of a response, and the body as it comes.
public struct TransportResponse: Sendable {
  /// The body in chunks, pulled: a transport reads no further ahead than it must. To be read once.
  ///
  /// Throws `TransportFailure` if the connection ends before the length that the head declared, or
  /// before the last chunk. A body without a declared length ends with the connection, whether that was
  /// meant or not. Ends at once where the task that reads is cancelled.
  public typealias Body = any AsyncSequence<[UInt8], any Error> & Sendable

  public var status: Int
  /// In the order in which they came.
  public var headers: [TransportRequest.Header]
  public var body: Body

  public init(status: Int, headers: [TransportRequest.Header], body: Body) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The values of a header, whatever the case of its name, joined as RFC 9110 5.3 says; nil if there
  /// is none.
  public subscript(header name: String) -> String? {
    let name = name.lowercased()
    let values = headers.filter { $0.name.lowercased() == name }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }
}

/// Why no response, or not all of one, came.
///
/// Its text must hold no query of the address: that may be a secret.
public struct TransportFailure: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: String, Hashable, Sendable {
    /// No address for the host, or nobody listens there.
    case unreachable
    /// The connection was closed or reset before the head came.
    case closedBeforeHead
    /// The connection was closed or reset within the body.
    case cut
    /// The certificate or the handshake.
    case insecure
    /// What came is no HTTP.
    case malformed
    /// The HTTP client cannot work here, as where its library is not installed: no further attempt can help.
    case unusable
    /// Anything else.
    case other
  }

  public var kind: Kind
  /// What the client said.
  public var reason: String

  public init(_ kind: Kind, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }

  public var description: String {
    switch kind {
    case .unreachable: "the server cannot be reached (\(reason))"
    case .closedBeforeHead: "the connection was closed before an answer came (\(reason))"
    case .cut: "the connection was closed before the end (\(reason))"
    case .insecure: "no secure connection (\(reason))"
    case .malformed: "the answer is not HTTP (\(reason))"
    case .unusable, .other: reason
    }
  }
}
