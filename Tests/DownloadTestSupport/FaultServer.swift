import Synchronization

/// An HTTP server for tests that does what its script says, wrong things too: raw bytes over sockets, on
/// 127.0.0.1 only.
///
///     let server = try FaultServer { request in
///       request.index == 0
///         ? .file(song, for: request, etag: "\"a\"").broken(after: 1000, by: .reset)
///         : .file(song, for: request, etag: "\"a\"")
///     }
///
/// Stops when it is let go of.
package final class FaultServer: Sendable {
  package typealias Handler = @Sendable (Request) -> Reply

  private let engine: FaultServerEngine

  /// Listens on a free port.
  ///
  /// - Parameters:
  ///   - onConnect: done with each connection before its first request is read.
  ///   - handler: called on the thread of a connection, so at the same time for several.
  /// - Throws: `FaultServerError` if the system gives no socket.
  package init(onConnect: [Step] = [], _ handler: @escaping Handler) throws {
    engine = try FaultServerEngine(greeting: onConnect, handler)
    engine.start()
  }

  deinit {
    engine.stop()
  }

  package var port: UInt16 { engine.port }

  /// - Parameter path: begins with a slash; may have a query.
  package func address(_ path: String = "/") -> String {
    "http://127.0.0.1:\(port)\(path)"
  }

  /// All requests so far, in the order in which they came.
  package var requests: [Request] { engine.requests }

  /// The values of a header in all requests so far; nil if a request had none.
  package func values(of header: String) -> [String?] {
    requests.map { $0[header: header] }
  }

  /// Bytes that the system took of all connections together; a client has read them or will.
  package var sentBytes: Int64 { engine.sentBytes.load(ordering: .relaxed) }

  /// How many connections are open now.
  package var openConnections: Int { engine.openConnections }

  /// Ends all connections and listens no more; returns when the threads have ended. Again: does nothing.
  package func stop() {
    engine.stop()
  }

  /// An address on which nobody listens: of a server that was started and stopped.
  package static func deadAddress(_ path: String = "/") throws -> String {
    let server = try FaultServer { _ in Reply(.close) }
    server.stop()
    return server.address(path)
  }
}

/// A system call failed.
package struct FaultServerError: Error, CustomStringConvertible {
  package var call: String
  package var code: Int32
  package var description: String { "\(call) failed with errno \(code)" }
}
