import Synchronization

/// A response between an HTTP client, which brings it as it comes, and its reader, who takes it when ready.
package final class IncomingResponse: Sendable {
  package struct Head: Sendable {
    package let status: Int
    package let headers: [TransportRequest.Header]

    package init(status: Int, headers: [TransportRequest.Header]) {
      self.status = status
      self.headers = headers
    }
  }

  private struct State {
    var head: Result<Head, any Error>?
    var headReader: CheckedContinuation<Head, any Error>?
    var chunks: [[UInt8]] = []
    var waiting = 0
    var isHeldBack = false
    /// The end of the body: a success where it came whole.
    var end: Result<Void, any Error>?
    var bodyReader: CheckedContinuation<[UInt8]?, any Error>?
  }

  /// Small pieces that wait are put together up to this size, in bytes.
  private static let chunkSize = 256 << 10

  private let state = Mutex(State())

  package init() {}

  // MARK: - The reader's side

  /// Waits for the head.
  package func head() async throws -> Head {
    try await withCheckedThrowingContinuation { reader in
      let result = state.withLock { state -> Result<Head, any Error>? in
        if state.head == nil { state.headReader = reader }
        return state.head
      }
      if let result { reader.resume(with: result) }
    }
  }

  /// Waits for bytes of the body. After a cancellation there are none, not even those that came before.
  ///
  /// - Parameters:
  ///   - limit: a client that was held back goes on where fewer bytes than these wait.
  ///   - resume: called within a lock that `pause` takes too.
  /// - Returns: nil at the end.
  package func chunk(below limit: Int, _ resume: () -> Void) async throws -> [UInt8]? {
    try await withCheckedThrowingContinuation { reader in
      let result = state.withLock { state -> Result<[UInt8]?, any Error>? in
        if case .failure(let error) = state.end, error is CancellationError {
          return .failure(error)
        }
        if !state.chunks.isEmpty {
          let chunk = state.chunks.removeFirst()
          state.waiting -= chunk.count
          if state.isHeldBack, state.waiting < limit {
            state.isHeldBack = false
            resume()
          }
          return .success(chunk)
        }
        if let end = state.end { return end.map { nil } }
        state.bodyReader = reader
        return nil
      }
      if let result { reader.resume(with: result) }
    }
  }

  // MARK: - The client's side

  package var hasHead: Bool {
    state.withLock { if case .success = $0.head { true } else { false } }
  }

  package func receive(_ head: Head) {
    let reader = state.withLock { state -> CheckedContinuation<Head, any Error>? in
      guard state.head == nil else { return nil }
      state.head = .success(head)
      defer { state.headReader = nil }
      return state.headReader
    }
    reader?.resume(returning: head)
  }

  /// Takes bytes of the body; passes over those that come after the end.
  package func receive(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    let reader = state.withLock { state -> CheckedContinuation<[UInt8]?, any Error>? in
      guard state.end == nil else { return nil }
      if let reader = state.bodyReader {
        state.bodyReader = nil
        return reader
      }
      if let last = state.chunks.indices.last,
        state.chunks[last].count + bytes.count <= Self.chunkSize
      {
        state.chunks[last] += bytes
      } else {
        state.chunks.append([UInt8](bytes))
      }
      state.waiting += bytes.count
      return nil
    }
    reader?.resume(returning: [UInt8](bytes))
  }

  /// Holds the client back where more bytes than the limit wait and it is not held back already.
  ///
  /// - Parameter hold: called within a lock, so that the reader cannot let the client go on before it is held.
  /// - Returns: whether the client is held back now.
  package func pause(above limit: Int, _ hold: () -> Void = {}) -> Bool {
    state.withLock { state in
      guard state.end == nil, state.waiting > limit else { return false }
      if !state.isHeldBack { hold() }
      state.isHeldBack = true
      return true
    }
  }

  /// Ends the response. A reader that waits is resumed; one that comes later gets the bytes that have come, then the
  /// end. After a cancellation it gets no more bytes, even if all had come. A second end changes nothing, unless it is
  /// a cancellation.
  ///
  /// - Parameter error: nil if the body came whole.
  package func finish(_ error: (any Error)?) {
    let (headReader, bodyReader, end) = state.withLock { state in
      if error is CancellationError {
        (state.chunks, state.waiting, state.end) = ([], 0, nil)
      }
      let end = state.end ?? error.map { .failure($0) } ?? .success(())
      state.end = end
      let missing = TransportFailure(.closedBeforeHead, "no answer came")
      if state.head == nil { state.head = .failure(error ?? missing) }
      defer { (state.headReader, state.bodyReader) = (nil, nil) }
      return (state.headReader.map { ($0, state.head) }, state.bodyReader, end)
    }
    if let (reader, head) = headReader, let head { reader.resume(with: head) }
    bodyReader?.resume(with: end.map { nil })
  }
}
