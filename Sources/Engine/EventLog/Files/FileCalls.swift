/// The calls with which the log touches files: a thin seam, so that tests can make each one fail.
///
/// Each call does what its namesake in POSIX does, retries `EINTR`, and throws `FileFailure` with the
/// `errno`. The seam costs some nanoseconds a call, below 0.1 % of an append on a disk and of a scan
/// (docs/lab/file-seam.md).
package protocol FileCalls: Sendable {
  func open(_ path: String, _ mode: FileMode) throws -> Int32
  func close(_ descriptor: Int32)
  /// Reads up to the buffer's length; 0 at the end of the file.
  func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64)
    throws -> Int
  /// Writes a part or all; the number of bytes written.
  func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws -> Int
  func sync(_ descriptor: Int32) throws
  func syncData(_ descriptor: Int32) throws
  func truncate(_ descriptor: Int32, to size: UInt64) throws
  func status(_ descriptor: Int32) throws -> FileStatus
  func rename(_ from: String, to: String) throws
  /// Makes a second name; fails where the name is taken.
  func link(_ from: String, to: String) throws
  func unlink(_ path: String) throws
  func makeDirectory(_ path: String) throws
  /// Names in a directory, in no order; nil if there is no such directory.
  func names(in directory: String) throws -> [String]?
  func syncDirectory(_ path: String) throws
  /// Takes the lock at once, or returns false.
  func lock(_ descriptor: Int32) throws -> Bool
  func unlock(_ descriptor: Int32)
}

/// How a file is opened. Symbolic links are never followed at the last component.
package enum FileMode: Sendable {
  case read
  case readWrite
  /// Makes a new file; fails where the name is taken.
  case create
  /// Opens for writing, made where it is missing.
  case createOrOpen
  /// Opens a folder to lock it, also by a symbolic link.
  case directory
}

package struct FileStatus: Sendable {
  package var size: UInt64
  package var isRegular: Bool
  package var device: UInt64
  package var inode: UInt64
  package var links: UInt64

  package init(size: UInt64, isRegular: Bool, device: UInt64, inode: UInt64, links: UInt64) {
    self.size = size
    self.isRegular = isRegular
    self.device = device
    self.inode = inode
    self.links = links
  }
}

/// A call that the system refused.
package struct FileFailure: Error, Sendable, CustomStringConvertible {
  package let call: String
  package let path: String?
  package let errno: Int32

  package init(_ call: String, _ path: String?, _ errno: Int32) {
    self.call = call
    self.path = path
    self.errno = errno
  }

  package var description: String {
    "\(call)\(path.map { " \($0)" } ?? ""): \(RealFileCalls.text(of: errno))"
  }
}
