import Support

/// An open file of the log, or its open folder. Closed with its last reference.
final class LogFile: Sendable {
  let path: String
  let descriptor: Int32
  private let calls: any FileCalls

  /// - Throws: if it cannot be opened, or is no regular file.
  init(_ path: String, _ mode: FileMode, _ calls: any FileCalls) throws {
    self.path = path
    self.calls = calls
    descriptor = try EventLogError.doing("open", path) { try calls.open(path, mode) }
    guard try mode == .directory || status().isRegular else {
      throw EventLogError(
        .io, "\(path) is not a regular file; move it away", file: path)
    }
  }

  deinit {
    calls.close(descriptor)
  }

  func status() throws -> FileStatus {
    try EventLogError.doing("stat", path) { try calls.status(descriptor) }
  }

  func size() throws -> UInt64 {
    try status().size
  }

  /// Reads exactly so many bytes, or fewer at the end of the file.
  func read(_ count: Int, at offset: UInt64) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
    }
  }

  /// Fills the buffer, or as much of it as the file has; returns how much.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws -> Int {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = try EventLogError.doing("read", path) {
        try calls.read(descriptor, into: rest, at: offset + UInt64(done))
      }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Writes all bytes, however many calls that takes.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = try EventLogError.doing("write", path) {
        try calls.write(descriptor, rest, at: offset + UInt64(done))
      }
      guard count > 0 else {
        throw EventLogError(.io, "writing \(path) made no progress", file: path)
      }
      done += count
    }
  }

  func write(_ bytes: [UInt8], at offset: UInt64) throws {
    try bytes.withUnsafeBytes { try write($0, at: offset) }
  }

  /// Refuses a file that has another name: what is written here would change that one as well.
  ///
  /// - Throws: `io`, with what to do.
  func expectOneName(remedy: String) throws {
    guard try status().links == 1 else {
      throw EventLogError(
        .io, "\(path) is a hard link to another file, which would be overwritten; \(remedy)",
        file: path)
    }
  }

  func sync() throws {
    try EventLogError.doing("sync", path) { try calls.sync(descriptor) }
  }

  func syncData() throws {
    try EventLogError.doing("sync", path) { try calls.syncData(descriptor) }
  }

  func truncate(to size: UInt64) throws {
    try EventLogError.doing("truncate", path) { try calls.truncate(descriptor, to: size) }
  }
}
