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
    listener = try Self.socket(folder, bind)
    guard listen(listener, 64) == 0 else { throw Failure(code: errno) }
    try start { self.accepts() }
  }

  package struct Failure: Error {
    let code: CInt
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
      guard Self.waits(for: [listener]) != nil else { continue }
      let client = accept(listener, nil, nil)
      guard client >= 0 else { continue }
      let (isOpen, place) = state.withLock { ($0.isOpen, $0.server) }
      guard isOpen, let server = try? Self.socket(place, connect) else {
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
      guard let ready = Self.waits(for: [client, server]) else { continue }
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
    var sent = 0
    while sent < allowed {
      let part = buffer[sent..<allowed].withUnsafeBytes {
        send(to, $0.baseAddress, $0.count, withoutSignal)
      }
      guard part > 0 else { return false }
      sent += part
    }
    return !isCut
  }

  // MARK: Sockets

  /// The first of some sockets that has something to read; nil after a while.
  private static func waits(for sockets: [CInt]) -> CInt? {
    var polled = sockets.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard poll(&polled, nfds_t(polled.count), 50) > 0 else { return nil }
    return polled.first { $0.revents != 0 }?.fd
  }

  private static func socket(
    _ folder: String, _ use: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) throws -> CInt {
    let descriptor = streamSocket()
    guard descriptor >= 0 else { throw Failure(code: errno) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: Array("\(folder)/.s.PGSQL.5432".utf8))
    }
    let used = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        use(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard used == 0 else {
      close(descriptor)
      throw Failure(code: errno)
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
  }
}

private func streamSocket() -> CInt {
  #if canImport(Glibc)
    socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
  #else
    socket(AF_UNIX, SOCK_STREAM, 0)
  #endif
}

#if canImport(Glibc)
  private let withoutSignal = CInt(MSG_NOSIGNAL)
#else
  private let withoutSignal: CInt = 0
#endif
