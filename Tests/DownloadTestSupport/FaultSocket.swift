#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The calls whose shape differs between systems, and the settings that all sockets here have.
enum FaultSocket {
  /// - Returns: a socket that listens on 127.0.0.1, and its port.
  static func listen() throws(FaultServerError) -> (socket: Int32, port: UInt16) {
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let listener = socket(AF_INET, kind, 0)
    guard listener >= 0 else { throw failure("socket") }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutableBytes(of: &address) { bytes in
      let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
      guard let pointer else { return false }
      #if canImport(Glibc)
        return bind(listener, pointer, size) == 0 && Glibc.listen(listener, 128) == 0
          && getsockname(listener, pointer, &size) == 0
      #else
        return bind(listener, pointer, size) == 0 && Darwin.listen(listener, 128) == 0
          && getsockname(listener, pointer, &size) == 0
      #endif
    }
    guard isBound else {
      let failure = failure("bind, listen or getsockname")
      _ = close(listener)
      throw failure
    }
    return (listener, UInt16(bigEndian: address.sin_port))
  }

  /// - Returns: nil if nobody came within the time.
  static func accept(on listener: Int32, within time: Duration) -> Int32? {
    var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, Int32(time / .milliseconds(1))) > 0 else { return nil }
    #if canImport(Glibc)
      let socket = Glibc.accept(listener, nil, nil)
    #else
      let socket = Darwin.accept(listener, nil, nil)
    #endif
    guard socket >= 0 else { return nil }
    // Short: every wait looks up again whether the server was stopped.
    var limit = timeval(tv_sec: 0, tv_usec: 100_000)
    let size = socklen_t(MemoryLayout<timeval>.size)
    _ = setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    _ = setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    var on: Int32 = 1
    let width = socklen_t(MemoryLayout<Int32>.size)
    _ = setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, width)
    #if !canImport(Glibc)
      _ = setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, width)
    #endif
    return socket
  }

  /// Sends some of the bytes, without SIGPIPE.
  static func send(_ socket: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    #else
      Darwin.send(socket, bytes.baseAddress, bytes.count, 0)
    #endif
  }

  /// Whether the last call only ran out of time or was interrupted.
  static var mayTryAgain: Bool {
    errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR
  }

  private static func failure(_ call: String) -> FaultServerError {
    FaultServerError(call: call, code: errno)
  }
}
