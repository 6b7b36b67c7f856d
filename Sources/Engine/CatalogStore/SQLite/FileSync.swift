import EventLog
import Support

/// Makes a finished file durable.
enum FileSync {
  /// Must not be called for a database that this process has open: closing the descriptor would drop
  /// SQLite's locks on it.
  static func sync(_ path: String) throws {
    let calls = RealFileCalls()
    do {
      let descriptor = try calls.open(path, .read)
      defer { calls.close(descriptor) }
      try calls.sync(descriptor)
    } catch let failure as FileFailure {
      throw StoreError(.database, "cannot sync \(path): \(SystemError.words(for: failure.errno))")
    }
  }
}
