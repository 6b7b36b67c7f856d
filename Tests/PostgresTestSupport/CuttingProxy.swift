import Foundation
import Support
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Passes bytes between a client and a server on Unix sockets, and cuts their connection after so many of them.
package final class CuttingProxy: Sendable {
  package enum Direction: Sendable, CaseIterable {
    case toServer
    case toClient
  }

  private struct State {
    /// The folder of the server's socket.
    var server: String
    /// The cuts to come, the next one last; each is of one connection.
    var cuts: [(direction: Direction, after: Int)] = []
    var isOpen = true
    var isEnded = false
    /// Bytes that went each way since the last cut was set.
    var passed: [Direction: Int] = [:]
  }

  /// The folder of the socket.
  package let folder: String
  private let listener: CInt
  private let state: Mutex<State>
  private let work = Mutex<[BackgroundWork<Void>]>([])

  /// - Parameter server: the folder of the server's socket.
  package init(to server: String) throws {
    state = Mutex(State(server: server))
    folder = "/tmp/catalog-proxy-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    listener = try LocalSocket.open(folder, bind)
    guard listen(listener, 64) == 0 else { throw LocalSocket.Failure(code: errno) }
    try start { self.accepts() }
  }

  /// The address of a log of that server, by way of this.
  package func address(_ name: String) -> String {
    "postgresql://postgres@/postgres?host=\(folder)#\(name)"
  }

  /// Ends all connections and its threads.
  package func end() {
    state.withLock { $0.isEnded = true }
    while let one = work.withLock({ $0.popLast() }) { one.wait() }
    close(listener)
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Cuts after so many bytes from now on; the next cuts are of the connections after that one.
  package func cut(_ cuts: [(direction: Direction, after: Int)]) {
    state.withLock {
      $0.cuts = cuts.reversed()
      $0.passed = [:]
    }
  }

  /// Sets no further cut.
  ///
  /// - Returns: how many cuts were not needed.
  package func heal() -> Int {
    state.withLock { state in
      defer { state.cuts = [] }
      return state.cuts.count
    }
  }

  /// Leads later connections to another server, as after a failover. Those that exist pass no further byte, and end.
  package func lead(to server: String) {
    state.withLock { $0.server = server }
  }

  /// Whether connections are let in.
  package func setOpen(_ isOpen: Bool) {
    state.withLock { $0.isOpen = isOpen }
  }

  // MARK: Threads

  private func start(_ body: @escaping @Sendable () -> Void) throws {
    let one = try BackgroundWork(body)
    work.withLock { $0.append(one) }
  }

  private func leads(to place: String) -> Bool { state.withLock { $0.server == place } }

  private var isEnded: Bool { state.withLock(\.isEnded) }

  private func accepts() {
    while !isEnded {
      guard LocalSocket.waits(for: [listener]) != nil else { continue }
      let client = accept(listener, nil, nil)
      guard client >= 0 else { continue }
      let (isOpen, place) = state.withLock { ($0.isOpen, $0.server) }
      guard isOpen, let server = try? LocalSocket.open(place, connect) else {
        close(client)
        continue
      }
      do {
        try start { self.passes(client, server, of: place) }
      } catch {
        close(client)
        close(server)
      }
    }
  }

  private func passes(_ client: CInt, _ server: CInt, of place: String) {
    defer {
      close(client)
      close(server)
    }
    while !isEnded, leads(to: place) {
      guard let ready = LocalSocket.waits(for: [client, server]) else { continue }
      let (from, to) = ready == client ? (client, server) : (server, client)
      guard leads(to: place), pass(from, to, ready == client ? .toServer : .toClient) else {
        return
      }
    }
  }

  /// Passes on the bytes that have arrived.
  ///
  /// - Returns: false if the connection has ended, or if it is to be cut here.
  private func pass(_ from: CInt, _ to: CInt, _ direction: Direction) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(from, &buffer, buffer.count)
    guard count > 0 else { return false }
    let (allowed, isCut) = state.withLock { state -> (Int, Bool) in
      let passed = state.passed[direction, default: 0]
      if let cut = state.cuts.last, cut.direction == direction, passed + count >= cut.after {
        state.cuts.removeLast()
        state.passed = [:]
        return (cut.after - passed, true)
      }
      state.passed[direction] = passed + count
      return (count, false)
    }
    return LocalSocket.send(buffer[..<allowed], to: to) && !isCut
  }
}
