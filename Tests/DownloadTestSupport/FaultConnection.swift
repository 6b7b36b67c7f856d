import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One accepted connection, used by its thread alone.
struct FaultConnection {
  let socket: Int32
  let engine: FaultServerEngine
  private var pending: [UInt8] = []
  private var isReset = false

  /// How long a client may neither read nor write before the connection is given up.
  private static let patience = Duration.seconds(60)
  private static let headLimit = 64 << 10

  init(socket: Int32, engine: FaultServerEngine) {
    self.socket = socket
    self.engine = engine
  }

  /// - Returns: all before the empty line; nil if the client went or sent too much.
  mutating func readHead() -> [UInt8]? {
    let end: [UInt8] = [13, 10, 13, 10]
    while pending.count < Self.headLimit {
      if let found = pending.firstRange(of: end) {
        let head = Array(pending[..<found.lowerBound])
        pending.removeSubrange(..<found.upperBound)
        return head
      }
      guard let more = receive() else { return nil }
      pending += more
    }
    return nil
  }

  /// - Returns: whether the connection serves another request.
  mutating func perform(_ reply: FaultServer.Reply) -> Bool {
    guard reply.head.isEmpty || send(reply.head) else { return false }
    for step in reply.steps {
      guard !engine.isStopped else { return false }
      switch step {
      case .send(let bytes):
        guard send(bytes) else { return false }
      case .pause(let duration):
        engine.pause(duration)
      case .drip(let bytes, let interval):
        for byte in bytes {
          guard send([byte]) else { return false }
          engine.pause(interval)
        }
      case .generate(let offset, let count, let seed):
        guard generate(offset: offset, count: count, seed: seed) else { return false }
      case .reset:
        isReset = true
        return false
      case .close:
        return false
      case .keepOpen:
        return true
      case .wait(let isOver):
        let deadline = ContinuousClock.now + Self.patience
        while !isOver(), !engine.isStopped, ContinuousClock.now < deadline {
          engine.pause(.milliseconds(10))
        }
      case .hang:
        while receive() != nil {}
        return false
      }
    }
    return false
  }

  /// Closes the socket.
  func end() {
    if isReset {
      var linger = linger(l_onoff: 1, l_linger: 0)
      let size = socklen_t(MemoryLayout.size(ofValue: linger))
      _ = setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, size)
    } else {
      // FIN first. Closing with unread bytes would send RST instead.
      _ = shutdown(socket, Int32(SHUT_WR))
      var waste = [UInt8](repeating: 0, count: 4096)
      while recv(socket, &waste, waste.count, Int32(MSG_DONTWAIT)) > 0 {}
    }
    _ = close(socket)
  }

  private func generate(offset: Int64, count: Int64, seed: UInt64) -> Bool {
    var block = [UInt8](repeating: 0, count: 64 << 10)
    var sent: Int64 = 0
    while sent < count {
      let size = Int(min(Int64(block.count), count - sent))
      let isSent = block.withUnsafeMutableBytes { buffer in
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<size])
        PatternBytes.fill(part, offset: offset + sent, seed: seed)
        return send(UnsafeRawBufferPointer(part))
      }
      guard isSent else { return false }
      sent += Int64(size)
    }
    return true
  }

  private func send(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes(send)
  }

  private func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes[...]
    var deadline = ContinuousClock.now + Self.patience
    while !rest.isEmpty, !engine.isStopped {
      let slice = UnsafeRawBufferPointer(rebasing: rest)
      let count = FaultSocket.send(socket, slice)
      if count > 0 {
        rest = rest.dropFirst(count)
        engine.sentBytes.add(Int64(count), ordering: .relaxed)
        deadline = ContinuousClock.now + Self.patience
      } else if !FaultSocket.mayTryAgain || ContinuousClock.now > deadline {
        return false
      }
    }
    return rest.isEmpty
  }

  /// - Returns: nil if the client went, was silent for too long, or the server stopped.
  private func receive() -> [UInt8]? {
    let deadline = ContinuousClock.now + Self.patience
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while !engine.isStopped, ContinuousClock.now < deadline {
      let count = recv(socket, &buffer, buffer.count, 0)
      if count > 0 { return Array(buffer[..<count]) }
      if count == 0 || !FaultSocket.mayTryAgain { return nil }
    }
    return nil
  }
}
