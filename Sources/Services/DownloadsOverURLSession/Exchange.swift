import Dispatch
import Downloads
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request and what has come of its response: filled by the session's delegate, emptied by a reader.
final class Exchange: Sendable {
  private let task: URLSessionTask
  private let response = IncomingResponse()
  /// What the head says of the body's length, and how much of it has come.
  private let lengths = Mutex<(declared: Int64?, received: Int64)>((nil, 0))

  /// Where a task can be suspended, it is when more than this waits, and resumed when half of it was read.
  private static let highWater = 4 << 20

  var identifier: Int { task.taskIdentifier }

  init(task: URLSessionTask) {
    self.task = task
  }

  // MARK: - The reader's side

  func head() async throws -> IncomingResponse.Head { try await response.head() }

  /// - Returns: bytes that wait; nil at the end.
  func chunk() async throws -> [UInt8]? {
    try await response.chunk(below: Self.highWater / 2) { task.resume() }
  }

  /// Ends the request; who waits for it gets a `CancellationError` now.
  func cancel() {
    response.finish(CancellationError())
    task.cancel()
  }

  // MARK: - The delegate's side

  func received(head: HTTPURLResponse) {
    let headers = head.allHeaderFields.compactMap { name, value in
      (name as? String).map { TransportRequest.Header($0, "\(value)") }
    }
    if head.value(forHTTPHeaderField: "Content-Encoding") == nil {
      let declared = head.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }
      lengths.withLock { $0.declared = declared }
    }
    response.receive(
      IncomingResponse.Head(
        status: head.statusCode,
        headers: headers.sorted { $0.name.lowercased() < $1.name.lowercased() }))
  }

  func received(_ data: Data) {
    lengths.withLock { $0.received += Int64(data.count) }
    data.withUnsafeBytes { response.receive($0) }
    #if canImport(FoundationNetworking)
      let limit = URLSessionTransport.bufferLimit
      // Once: beyond the end nothing is held back, and cancelled twice the connection stayed open (measured).
      guard response.pause(above: limit) else { return }
      response.finish(
        TransportFailure(
          .other, "the body arrived faster than it was read: more than \(limit >> 20) MiB wait"))
      // Elsewhere: cancelled within the callback, Linux's session left the connection open (measured).
      DispatchQueue.global().async { self.task.cancel() }
    #else
      _ = response.pause(above: Self.highWater) { task.suspend() }
    #endif
  }

  /// The task has ended.
  func completed(_ error: (any Error)?) {
    if let error {
      response.finish(transportError(error, inBody: response.hasHead))
      return
    }
    let isShort = lengths.withLock { lengths in
      lengths.declared.map { lengths.received < $0 } ?? false
    }
    response.finish(
      isShort ? TransportFailure(.cut, "fewer bytes arrived than the headers declared") : nil)
  }
}

/// Held by the reader alone: when it lets go, the request ends.
final class ExchangeLease: Sendable {
  let exchange: Exchange
  /// Kept: else the session would end in the middle of a body whose transport nobody holds.
  private let transport: URLSessionTransport

  init(_ exchange: Exchange, of transport: URLSessionTransport) {
    self.exchange = exchange
    self.transport = transport
  }

  deinit {
    exchange.cancel()
  }
}
