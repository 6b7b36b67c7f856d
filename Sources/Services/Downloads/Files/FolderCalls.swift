/// The calls with which downloads touch files: a thin seam, so that tests can make each one fail, and can
/// forget what was not synced.
///
/// Each call does what its namesake in POSIX does, by the descriptor of a folder and one name in it,
/// retries `EINTR`, and throws the `errno`. None follows a symbolic link at its last component, but for
/// `openRoot`. The real ones add nothing measurable to a system call.
package protocol FolderCalls: Sendable {
  /// Which run of the system this is; nil if it does not tell.
  var systemRun: String? { get }

  /// Opens a folder by its path; links are followed, for where the catalog lies is the user's choice.
  func openRoot(_ path: String) throws(CallFailure) -> Int32
  func openFolder(_ name: String, in folder: Int32) throws(CallFailure) -> Int32
  /// Opens without waiting: a pipe in a file's place must not hang the process.
  func openFile(
    _ name: String, in folder: Int32, _ opening: FileOpening
  ) throws(CallFailure) -> Int32
  func close(_ descriptor: Int32)
  func makeFolder(_ name: String, in folder: Int32) throws(CallFailure)

  /// What has a name in a folder.
  func status(of name: String, in folder: Int32) throws(CallFailure) -> EntryStatus
  /// What is open.
  func status(_ descriptor: Int32) throws(CallFailure) -> EntryStatus
  /// Names in a folder without `.` and `..`, in no order.
  func names(in folder: Int32) throws(CallFailure) -> [String]
  /// Whether this process may make and remove names in a folder.
  func isWritable(_ folder: Int32) -> Bool
  /// What is free on a folder's volume, in bytes, for a user who is not root.
  func freeBytes(_ folder: Int32) throws(CallFailure) -> Int64

  /// Reads up to the buffer's length; 0 at the end of the file.
  func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(CallFailure) -> Int
  /// Writes a part or all; the number of bytes written.
  func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(CallFailure) -> Int
  func truncate(_ descriptor: Int32, to size: Int64) throws(CallFailure)
  /// Makes the bytes of a file durable, or the names of a folder.
  func sync(_ descriptor: Int32) throws(CallFailure)

  /// Moves a file over what has the new name.
  func move(
    _ name: String, in folder: Int32, to target: Int32, as newName: String
  ) throws(CallFailure)
  func removeFile(_ name: String, in folder: Int32) throws(CallFailure)
  /// Removes a folder that is empty.
  func removeFolder(_ name: String, in folder: Int32) throws(CallFailure)

  /// Takes the lock of an open file at once, or returns false.
  func lock(_ descriptor: Int32) throws(CallFailure) -> Bool
  func unlock(_ descriptor: Int32)
}

/// How a file is opened.
package enum FileOpening: Sendable {
  case read
  case readWrite
  /// Makes a new file; fails where the name is taken.
  case create
  /// Opens for writing, made where it is missing.
  case createOrOpen
}

/// What a name leads to, or a descriptor.
package struct EntryStatus: Sendable {
  package enum Kind: Sendable {
    case file
    case folder
    case link
    case other
  }

  package var kind: Kind
  /// In bytes.
  package var size: Int64
  /// How many names it has.
  package var links: Int
  package var device: UInt64
  package var inode: UInt64

  package init(kind: Kind, size: Int64, links: Int, device: UInt64, inode: UInt64) {
    self.kind = kind
    self.size = size
    self.links = links
    self.device = device
    self.inode = inode
  }

  package func isSame(as other: EntryStatus) -> Bool {
    inode == other.inode && device == other.device
  }
}

/// A call that the system refused.
package struct CallFailure: Error, Hashable, Sendable {
  package let errno: Int32

  package init(_ errno: Int32) {
    self.errno = errno
  }
}
