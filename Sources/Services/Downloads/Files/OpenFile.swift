import LibC

/// A file that is open, closed with its last user. Errors are `DownloadFailure` and name the file.
package final class OpenFile: Sendable {
  private let descriptor: Int32
  private let folder: FolderHandle
  /// The name that it was opened with, for errors.
  private let name: String

  private var calls: any FolderCalls { folder.calls }

  /// Takes over the descriptor.
  init(_ descriptor: Int32, _ name: String, in folder: FolderHandle) {
    self.descriptor = descriptor
    self.name = name
    self.folder = folder
  }

  deinit { calls.close(descriptor) }

  func status() throws(DownloadFailure) -> EntryStatus {
    do { return try calls.status(descriptor) } catch {
      throw folder.failure("stat", name, error)
    }
  }

  /// Reads up to the buffer's length; 0 at the end of the file.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(DownloadFailure) -> Int {
    do {
      return try calls.read(descriptor, into: buffer, at: offset)
    } catch {
      throw folder.failure("read", name, error)
    }
  }

  /// Writes a part or all of what is not empty; how many bytes, one at least.
  func write(
    _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(DownloadFailure) -> Int {
    do throws(CallFailure) {
      let count = try calls.write(descriptor, bytes, at: offset)
      // POSIX leaves it open; asking again for ever would be worse than an error.
      guard count > 0 || bytes.isEmpty else { throw CallFailure(EIO) }
      return count
    } catch {
      throw folder.failure("write", name, error)
    }
  }

  func truncate(to size: Int64) throws(DownloadFailure) {
    do {
      try calls.truncate(descriptor, to: size)
    } catch {
      throw folder.failure("truncate", name, error)
    }
  }

  /// Makes its bytes durable. Where that fails, the system may have dropped them and say of a second sync
  /// that it succeeded: nothing that was not durable before may be relied on.
  func sync() throws(DownloadFailure) {
    do { try calls.sync(descriptor) } catch { throw folder.failure("sync", name, error) }
  }

  /// Takes its lock at once, or returns false.
  func lock() throws(DownloadFailure) -> Bool {
    do { return try calls.lock(descriptor) } catch { throw folder.failure("lock", name, error) }
  }

  func unlock() { calls.unlock(descriptor) }
}
