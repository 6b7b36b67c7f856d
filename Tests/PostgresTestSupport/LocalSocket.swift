import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Sockets of PostgreSQL's name in a folder.
enum LocalSocket {
  struct Failure: Error {
    let code: CInt
  }

  /// The first of some sockets that has something to read; nil after a while.
  static func waits(for sockets: [CInt]) -> CInt? {
    var polled = sockets.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard poll(&polled, nfds_t(polled.count), 50) > 0 else { return nil }
    return polled.first { $0.revents != 0 }?.fd
  }

  /// - Parameter use: binds it, or connects it.
  static func open(
    _ folder: String, _ use: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) throws -> CInt {
    let descriptor = stream()
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

  /// Sends all of some bytes.
  ///
  /// - Returns: false if the other end is closed.
  static func send(_ bytes: ArraySlice<UInt8>, to socket: CInt) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let part = rest.withUnsafeBytes { sent(socket, $0.baseAddress, $0.count) }
      guard part > 0 else { return false }
      rest = rest.dropFirst(part)
    }
    return true
  }

  #if canImport(Glibc)
    private static func sent(_ to: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
      Glibc.send(to, bytes, count, CInt(MSG_NOSIGNAL))
    }

    private static func stream() -> CInt { socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0) }
  #else
    private static func sent(_ to: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
      Darwin.send(to, bytes, count, 0)
    }

    private static func stream() -> CInt { socket(AF_UNIX, SOCK_STREAM, 0) }
  #endif
}
