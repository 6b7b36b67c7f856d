import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The threads and sockets of a server. Held by its threads, so that the server itself can be let go of.
final class FaultServerEngine: Sendable {
  private struct State {
    var requests: [FaultServer.Request] = []
    var isStopped = false
    var accepted = 0
    /// Sockets by connection. A connection leaves before it closes its socket, so that the number of
    /// a closed socket, which the system uses again, is never shut down.
    var sockets: [Int: Int32] = [:]
    /// Threads that have not ended, the accepting one among them.
    var threads = 0
  }

  static let maximalConnections = 64

  let port: UInt16
  private let greeting: [FaultServer.Step]
  private let handler: FaultServer.Handler
  private let listener: Int32
  private let state = Mutex(State())
  /// Of all connections: what the system took.
  let sentBytes = Atomic<Int64>(0)
  private let tick = Ticker()

  init(greeting: [FaultServer.Step], _ handler: @escaping FaultServer.Handler) throws {
    self.greeting = greeting
    self.handler = handler
    (listener, port) = try FaultSocket.listen()
  }

  var requests: [FaultServer.Request] { state.withLock { $0.requests } }
  var openConnections: Int { state.withLock { $0.sockets.count } }
  var isStopped: Bool { state.withLock { $0.isStopped } }

  func start() {
    state.withLock { $0.threads += 1 }
    Thread.detachNewThread { self.accept() }
  }

  func stop() {
    state.withLock { state in
      state.isStopped = true
      for socket in state.sockets.values { _ = shutdown(socket, Int32(SHUT_RDWR)) }
    }
    tick.wake()
    // Bounded: a handler may be stopping its own server.
    let deadline = ContinuousClock.now + .seconds(5)
    while state.withLock({ $0.threads > 0 }), ContinuousClock.now < deadline {
      tick.wait(atMost: .milliseconds(20))
    }
  }

  /// Waits, shorter where the server is stopped.
  func pause(_ duration: Duration) {
    let deadline = ContinuousClock.now + duration
    while !isStopped {
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { return }
      tick.wait(atMost: left)
    }
  }

  private func accept() {
    while !isStopped {
      guard openConnections < Self.maximalConnections else {
        pause(.milliseconds(20))
        continue
      }
      guard let socket = FaultSocket.accept(on: listener, within: .milliseconds(10)) else {
        continue
      }
      let connection = state.withLock { state -> Int? in
        guard !state.isStopped else { return nil }
        let number = state.accepted
        state.accepted += 1
        state.sockets[number] = socket
        state.threads += 1
        return number
      }
      guard let connection else {
        _ = close(socket)
        break
      }
      Thread.detachNewThread { self.serve(socket, connection) }
    }
    _ = close(listener)
    endThread()
  }

  private func serve(_ socket: Int32, _ connection: Int) {
    var peer = FaultConnection(socket: socket, engine: self)
    var index = 0
    let greeting = FaultServer.Reply(head: "", steps: self.greeting + [.keepOpen])
    var isOpen = peer.perform(greeting)
    while isOpen, let head = peer.readHead(),
      let request = record(head, connection: connection, indexOnConnection: index)
    {
      isOpen = peer.perform(handler(request))
      index += 1
    }
    state.withLock { $0.sockets[connection] = nil }
    peer.end()
    endThread()
  }

  private func record(
    _ head: [UInt8], connection: Int, indexOnConnection: Int
  ) -> FaultServer.Request? {
    guard
      var request = FaultServer.Request(
        head: head, connection: connection, indexOnConnection: indexOnConnection)
    else { return nil }
    return state.withLock { state in
      request.index = state.requests.count
      state.requests.append(request)
      return request
    }
  }

  private func endThread() {
    state.withLock { $0.threads -= 1 }
    tick.wake()
  }
}

/// Wakes who waits.
private final class Ticker: Sendable {
  private let condition = NSCondition()

  func wait(atMost duration: Duration) {
    let parts = duration.components
    let seconds = Double(parts.seconds) + Double(parts.attoseconds) / 1e18
    condition.lock()
    // A wake that came before this line is missed: so no wait is longer than this.
    _ = condition.wait(until: Date(timeIntervalSinceNow: min(seconds, 0.05)))
    condition.unlock()
  }

  func wake() {
    condition.lock()
    condition.broadcast()
    condition.unlock()
  }
}
