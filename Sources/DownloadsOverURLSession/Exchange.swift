import Dispatch
import Downloads
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request and what has come of its response: filled by the session's delegate, emptied by a reader.
final class Exchange: Sendable {
  private struct State {
    var head: Result<HTTPURLResponse, any Error>?
    var headReader: CheckedContinuation<HTTPURLResponse, any Error>?
    var chunks: [[UInt8]] = []
    var buffered = 0
    var received: Int64 = 0
    /// The end of the body: nil where it came whole.
    var end: Result<Void, any Error>?
    var bodyReader: CheckedContinuation<[UInt8]?, any Error>?
    var isHeldBack = false
  }

  private let task: URLSessionTask
  private let state = Mutex(State())

  #if !canImport(FoundationNetworking)
    /// Where a task can be suspended, it is when so much waits, and resumed when half of it was read.
    private static let highWater = 4 << 20
  #endif

  var identifier: Int { task.taskIdentifier }

  init(task: URLSessionTask) {
    self.task = task
  }

  // MARK: - The reader's side

  func head() async throws -> HTTPURLResponse {
    try await withCheckedThrowingContinuation { reader in
      let result = state.withLock { state -> Result<HTTPURLResponse, any Error>? in
        if state.head == nil { state.headReader = reader }
        return state.head
      }
      if let result { reader.resume(with: result) }
    }
  }

  /// - Returns: all that waits; nil at the end.
  func chunk() async throws -> [UInt8]? {
    try await withCheckedThrowingContinuation { reader in
      let result = state.withLock { state -> Result<[UInt8]?, any Error>? in
        if case .failure(let error) = state.end, error is CancellationError {
          return .failure(error)
        }
        if !state.chunks.isEmpty {
          let chunk = state.chunks.removeFirst()
          state.buffered -= chunk.count
          return .success(chunk)
        }
        if let end = state.end { return end.map { nil } }
        state.bodyReader = reader
        return nil
      }
      releaseIfRead()
      if let result { reader.resume(with: result) }
    }
  }

  /// Ends the request; who waits for it gets a `CancellationError` now.
  func cancel() {
    finish(CancellationError())
    task.cancel()
  }

  // MARK: - The delegate's side

  func received(head: HTTPURLResponse) {
    let reader = state.withLock { state -> CheckedContinuation<HTTPURLResponse, any Error>? in
      guard state.head == nil else { return nil }
      state.head = .success(head)
      defer { state.headReader = nil }
      return state.headReader
    }
    reader?.resume(returning: head)
  }

  func received(_ data: Data) {
    let chunk = [UInt8](data)
    let (reader, isFull) = state.withLock { state in
      guard state.end == nil else { return (CheckedContinuation<[UInt8]?, any Error>?.none, false) }
      state.received += Int64(chunk.count)
      if let reader = state.bodyReader {
        state.bodyReader = nil
        return (reader, false)
      }
      state.chunks.append(chunk)
      state.buffered += chunk.count
      return (nil, state.buffered > URLSessionTransport.bufferLimit)
    }
    reader?.resume(returning: chunk)
    holdBackIfFull()
    if isFull {
      let limit = URLSessionTransport.bufferLimit >> 20
      finish(
        TransportFailure(.other, "the body came faster than it was read: over \(limit) MiB wait"))
      // Elsewhere: cancelled within the callback, Linux's session left the connection open (measured).
      DispatchQueue.global().async { self.task.cancel() }
    }
  }

  /// The task has ended.
  func completed(_ error: (any Error)?) {
    if let error {
      finish(transportError(error, inBody: state.withLock { $0.head != nil }))
      return
    }
    let isShort = state.withLock { state in
      guard case .success(let head) = state.head,
        head.value(forHTTPHeaderField: "Content-Encoding") == nil,
        let length = head.value(forHTTPHeaderField: "Content-Length").flatMap(Int64.init)
      else { return false }
      return state.received < length
    }
    finish(isShort ? TransportFailure(.cut, "fewer bytes came than the head declared") : nil)
  }

  private func finish(_ error: (any Error)?) {
    let (headReader, bodyReader, end) = state.withLock { state in
      let end = state.end ?? error.map { .failure($0) } ?? .success(())
      state.end = end
      // A reader that was cancelled gets nothing more; others get what came before the error.
      if let error, error is CancellationError { state.chunks = [] }
      let missing = TransportFailure(.closedBeforeHead, "no answer came")
      if state.head == nil { state.head = .failure(error ?? missing) }
      defer { (state.headReader, state.bodyReader) = (nil, nil) }
      return (state.headReader.map { ($0, state.head) }, state.bodyReader, end)
    }
    if let (reader, head) = headReader, let head { reader.resume(with: head) }
    bodyReader?.resume(with: end.map { nil })
  }

  private func holdBackIfFull() {
    #if !canImport(FoundationNetworking)
      state.withLock { state in
        guard !state.isHeldBack, state.end == nil, state.buffered > Self.highWater else { return }
        state.isHeldBack = true
        task.suspend()
      }
    #endif
  }

  private func releaseIfRead() {
    #if !canImport(FoundationNetworking)
      state.withLock { state in
        guard state.isHeldBack, state.buffered < Self.highWater / 2 else { return }
        state.isHeldBack = false
        task.resume()
      }
    #endif
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
