import EventLog
import Synchronization

/// The real file calls, noted one after the other; a script may make each of them fail.
final class ScriptedFileCalls: FileCalls {
  /// A call as it is noted: its name and the last component of the file's path.
  typealias Script = @Sendable (_ call: String, _ name: String) throws -> Void

  private struct State {
    var calls: [String] = []
    var names: [Int32: String] = [:]
    var script: Script = { _, _ in }
  }

  private let real = RealFileCalls()
  private let state = Mutex(State())

  init() {}

  /// Calls so far, such as `"syncDirectory events"`.
  var calls: [String] { state.withLock { $0.calls } }

  func follow(_ script: @escaping Script) {
    state.withLock {
      $0.script = script
      $0.calls = []
    }
  }

  private func note(_ call: String, _ path: String) throws {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let script = state.withLock {
      $0.calls.append("\(call) \(name)")
      return $0.script
    }
    try script(call, name)
  }

  private func note(_ call: String, _ descriptor: Int32) throws {
    try note(call, state.withLock { $0.names[descriptor] ?? "?" })
  }

  func open(_ path: String, _ mode: FileMode) throws -> Int32 {
    try note("open", path)
    let descriptor = try real.open(path, mode)
    state.withLock { $0.names[descriptor] = path }
    return descriptor
  }

  func close(_ descriptor: Int32) { real.close(descriptor) }

  func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws -> Int {
    try note("read", descriptor)
    return try real.read(descriptor, into: buffer, at: offset)
  }

  /// A script that throws lets half of the bytes through first.
  func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws -> Int
  {
    do {
      try note("write", descriptor)
    } catch {
      let half = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)])
      _ = try real.write(descriptor, half, at: offset)
      throw error
    }
    return try real.write(descriptor, bytes, at: offset)
  }

  func sync(_ descriptor: Int32) throws {
    try note("sync", descriptor)
    try real.sync(descriptor)
  }

  func syncData(_ descriptor: Int32) throws {
    try note("syncData", descriptor)
    try real.syncData(descriptor)
  }

  func truncate(_ descriptor: Int32, to size: UInt64) throws {
    try note("truncate", descriptor)
    try real.truncate(descriptor, to: size)
  }

  func status(_ descriptor: Int32) throws -> FileStatus {
    try note("status", descriptor)
    return try real.status(descriptor)
  }

  func rename(_ from: String, to: String) throws {
    try note("rename", to)
    try real.rename(from, to: to)
  }

  func link(_ from: String, to: String) throws {
    try note("link", to)
    try real.link(from, to: to)
  }

  func unlink(_ path: String) throws {
    try note("unlink", path)
    try real.unlink(path)
  }

  func makeDirectory(_ path: String) throws {
    try note("makeDirectory", path)
    try real.makeDirectory(path)
  }

  func names(in directory: String) throws -> [String]? {
    try note("names", directory)
    return try real.names(in: directory)
  }

  func syncDirectory(_ path: String) throws {
    try note("syncDirectory", path)
    try real.syncDirectory(path)
  }

  func lock(_ descriptor: Int32) throws -> Bool {
    try note("lock", descriptor)
    return try real.lock(descriptor)
  }

  func unlock(_ descriptor: Int32) { real.unlock(descriptor) }
}
