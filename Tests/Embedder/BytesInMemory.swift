import EventLog
import Synchronization

/// File calls that read a folder's files out of memory: for reading a log a million times.
final class BytesInMemory: FileCalls {
  private let files: [String: [UInt8]]
  private let open = Mutex<[String]>([])

  /// - Parameter files: by name, in one folder.
  init(_ files: [String: [UInt8]]) {
    self.files = files
  }

  private func bytes(_ descriptor: Int32) -> [UInt8] {
    open.withLock { files[$0[Int(descriptor)]] ?? [] }
  }

  func open(_ path: String, _ mode: FileMode) throws -> Int32 {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard case .read = mode, files[name] != nil else { throw FileFailure("open", path, 2) }
    return open.withLock {
      $0.append(name)
      return Int32($0.count - 1)
    }
  }

  func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64)
    -> Int
  {
    let bytes = bytes(descriptor)
    guard offset < bytes.count else { return 0 }
    let count = min(buffer.count, bytes.count - Int(offset))
    bytes.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[Int(offset)...].prefix(count)))
    }
    return count
  }

  func status(_ descriptor: Int32) -> FileStatus {
    FileStatus(
      size: UInt64(bytes(descriptor).count), isRegular: true, device: 1,
      inode: UInt64(descriptor) + 1, links: 1)
  }

  func names(in directory: String) -> [String]? { files.keys.sorted() }
  func close(_ descriptor: Int32) {}

  // Nothing of this is for readers.
  private func refused(_ call: String) -> FileFailure { FileFailure(call, nil, 30) }
  func write(_: Int32, _: UnsafeRawBufferPointer, at: UInt64) throws -> Int {
    throw refused("write")
  }
  func sync(_: Int32) throws { throw refused("fsync") }
  func syncData(_: Int32) throws { throw refused("fdatasync") }
  func truncate(_: Int32, to: UInt64) throws { throw refused("ftruncate") }
  func rename(_: String, to: String) throws { throw refused("rename") }
  func link(_: String, to: String) throws { throw refused("link") }
  func unlink(_: String) throws { throw refused("unlink") }
  func makeDirectory(_: String) throws { throw refused("mkdir") }
  func syncDirectory(_: String) throws { throw refused("fsync") }
  func lock(_: Int32) throws -> Bool { throw refused("flock") }
  func unlock(_: Int32) {}
}
