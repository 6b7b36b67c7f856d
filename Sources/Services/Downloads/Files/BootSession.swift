import LibC

/// Which run of the system this is: what a process wrote is still there after its death, but not
/// necessarily after that of the system.
enum BootSession {
  /// Nil where the system does not tell.
  static let id: String? = {
    var buffer = [UInt8](repeating: 0, count: 64)
    #if canImport(Darwin)
      var size = buffer.count
      guard sysctlbyname("kern.bootsessionuuid", &buffer, &size, nil, 0) == 0 else { return nil }
      let text = String(decoding: buffer[..<size], as: UTF8.self)
    #else
      let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return nil }
      defer { close(file) }
      let size = read(file, &buffer, buffer.count)
      guard size > 0 else { return nil }
      let text = String(decoding: buffer[..<size], as: UTF8.self)
    #endif
    let id = text.filter { $0.isHexDigit || $0 == "-" }
    return id.isEmpty ? nil : id
  }()
}
