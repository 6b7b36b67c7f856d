import CatalogEngine
import CatalogModel
import CatalogStore
import Foundation
import GRDB
import LibC
import Support

/// A copy of the database of another program, in a temporary folder.
///
/// Opening and closing a database in place can remove its write-ahead log, and needs a folder that can be written. So the
/// file, its write-ahead log and its rollback journal are copied, and SQLite finishes there what they have begun. The copy is
/// a state that was committed: it counts only if none of the files changed while they were copied.
final class DatabaseCopy: Sendable {
  /// The copy.
  let path: String
  /// Bytes of the files.
  let size: Int
  /// The SHA-256 of the file, as `sha256sum` prints it; if there are a write-ahead log and a journal, of all bytes in this order.
  let sha256: String
  /// The time at which one of the files was changed last.
  let modified: Timestamp
  /// The bytes 24 to 27 of the file, which grow with its changes.
  let changeCounter: UInt32
  private let name: String
  private let folder: TemporaryFolder

  /// The first bytes of a database.
  static let mark = Array("SQLite format 3\0".utf8)

  private static let attempts = 3
  private static let changing = "the file changed while it was copied, \(attempts) times"

  /// Whether a database could not be copied because its program wrote to it all the time.
  static func isChanging(_ error: DocumentError) -> Bool { error.message == changing }

  /// - Parameter file: the database, as the caller named it.
  /// - Throws: `DocumentError` if it cannot be copied, is cut, or changes during each of three attempts.
  init(_ file: String) throws(DocumentError) {
    name = file
    folder = try Self.folder(for: file)
    path = folder.file("copy")
    for attempt in 1...Self.attempts {
      if attempt > 1 { usleep(useconds_t((attempt - 1) * 100_000)) }
      guard let stamp = DatabaseStamp.now(of: file) else { continue }
      // Times of files have steps: a change within the step of the change before is not seen by them.
      let seesChanges = stamp.waitForNextStep()
      var copying = Copying(file)
      guard let copied = try copying.copy(stamp, to: path), DatabaseStamp.now(of: file) == stamp
      else { continue }
      if !seesChanges {
        var again = Copying(file)
        guard try again.copy(stamp, to: path)?.sha256 == copied.sha256 else { continue }
      }
      size = stamp.length
      sha256 = copied.sha256
      modified = Timestamp(milliseconds: stamp.written)
      changeCounter = copied.header.bigEndian(at: 24)
      if stamp.endings == [""] { try Self.requireWhole(copied.header, size, file) }
      return
    }
    throw DocumentError(
      code: .fileUnreadable, file: file,
      message: Self.changing,
      advice: "try again when its program writes less")
  }

  /// Writes the bytes of a database that is not a file of this machine, such as a version in a repository.
  ///
  /// - Throws: `DocumentError` if it cannot be written, or is cut.
  init(of bytes: [UInt8], name: String, modified: Timestamp) throws(DocumentError) {
    self.name = name
    folder = try Self.folder(for: name)
    path = folder.file("copy")
    do {
      try Data(bytes).write(to: URL(fileURLWithPath: path))
    } catch {
      throw Self.uncopied(name, error)
    }
    size = bytes.count
    sha256 = Hex.string(SHA256.hash(data: bytes))
    self.modified = modified
    let header = Array(bytes.prefix(100))
    changeCounter = header.bigEndian(at: 24)
    try Self.requireWhole(header, size, name)
  }

  private static func folder(for name: String) throws(DocumentError) -> TemporaryFolder {
    do {
      return try TemporaryFolder()
    } catch {
      throw uncopied(name, error)
    }
  }

  private static func uncopied(_ name: String, _ error: any Error) -> DocumentError {
    DocumentError(
      code: .fileUnreadable, file: name, message: "it cannot be copied: \(error)",
      advice: "TMPDIR names a folder with room")
  }

  /// Reads the copy.
  ///
  /// - Throws: `DocumentError` if SQLite cannot read it.
  func read<Result>(
    _ body: (Database) throws -> Result
  ) throws(DocumentError) -> Result {
    do {
      var configuration = Configuration()
      configuration.label = "copy"
      configuration.prepareDatabase { database in
        // Columns alone are read, so that no expression of the other program's schema is carried out. `trusted_schema = 0` would
        // make sure of it, but SQLite 3.40 takes its own functions of JSON for unsafe then, and reads no such schema.
        try database.execute(sql: "PRAGMA ignore_check_constraints = 1")
      }
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      defer { try? queue.close() }
      return try queue.read(body)
    } catch let error as DocumentError {
      throw error
    } catch let error as DatabaseError {
      throw unreadable(error.message ?? "\(error)")
    } catch let error as StoreError {
      // No log has the rows of another program's database.
      throw unreadable(error.reason ?? error.message)
    } catch {
      throw unreadable("\(error)")
    }
  }

  /// The error of a database that SQLite cannot read.
  func unreadable(_ reason: String) -> DocumentError {
    DocumentError(
      code: .fileUnreadable, file: name, message: "SQLite cannot read the database: \(reason)",
      advice: "copy it again, or take a whole copy from a backup")
  }

  /// Refuses a database that is damaged, or has two names that this program cannot tell apart.
  func requireUsable(_ schema: DatabaseSchema, _ database: Database) throws {
    if let damage = try schema.damage(in: database) { throw unreadable(damage) }
    guard let twin = schema.twin else { return }
    throw DocumentError(
      code: .duplicateValue, file: name, path: JSONExcerpt.printable(twin),
      message: "two names differ only in how their letters are composed, and count as one here",
      advice: "rename one of them")
  }

  // MARK: Files

  /// Refuses a file that has fewer bytes than its header says. More are usual.
  private static func requireWhole(
    _ header: [UInt8], _ size: Int, _ file: String
  ) throws(DocumentError) {
    let stated = Int(header.bigEndian(at: 16) >> 16)
    let pageSize = stated == 1 ? 65_536 : stated
    // The count of pages is right only if the program that made the last change knew of it.
    guard header.bigEndian(at: 24) == header.bigEndian(at: 92) else { return }
    let wanted = Int(header.bigEndian(at: 28)) * pageSize
    guard size < wanted else { return }
    throw DocumentError(
      code: .fileUnreadable, file: file,
      message: "the database is cut: it has \(size) bytes, and its header says \(wanted)",
      advice: "copy it again")
  }
}

/// Copies the files of a database, and hashes them.
private struct Copying {
  private let name: String
  private var hash = SHA256()
  private var header: [UInt8] = []

  init(_ name: String) {
    self.name = name
  }

  /// - Returns: nil if a file has been removed meanwhile.
  mutating func copy(
    _ stamp: DatabaseStamp, to copy: String
  ) throws(DocumentError) -> (sha256: String, header: [UInt8])? {
    (hash, header) = (SHA256(), [])
    // SQLite keeps the other files beside the file itself, and not beside a link to it.
    let path = DatabaseStamp.realPath(name)
    // SQLite makes the index of the write-ahead log again.
    for ending in ["", "-wal", "-journal", "-shm"] { unlink(copy + ending) }
    for ending in stamp.endings {
      guard try copyFile(path + ending, to: copy + ending) else { return nil }
    }
    return (Hex.string(hash.finalize()), header)
  }

  private mutating func copyFile(_ path: String, to copy: String) throws(DocumentError) -> Bool {
    let source: OpenedFile
    do throws(OpenedFile.Failure) {
      source = try OpenedFile(path)
    } catch {
      if error.number == ENOENT { return false }
      throw DocumentFile.failure(name, error)
    }
    let target = open(copy, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard target >= 0 else { throw unwritable() }
    defer { close(target) }
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { room.deallocate() }
    var offset = 0
    while true {
      let length: Int
      do throws(OpenedFile.Failure) {
        length = try source.read(at: offset, into: room)
      } catch {
        throw DocumentFile.failure(name, error)
      }
      if length == 0 { return true }
      let bytes = UnsafeRawBufferPointer(rebasing: room[..<length])
      if header.count < 100 { header += bytes.prefix(100 - header.count) }
      hash.update(bufferPointer: bytes)
      var written = 0
      while written < length {
        let count = write(target, bytes.baseAddress?.advanced(by: written), length - written)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw unwritable() }
        written += count
      }
      offset += length
    }
  }

  private func unwritable() -> DocumentError {
    DocumentError(
      code: .fileUnreadable, file: name,
      message: "it cannot be copied: \(SystemError.words(for: errno))",
      advice: "TMPDIR names a folder with room")
  }
}

extension [UInt8] {
  /// Four bytes as a number; 0 if there are fewer.
  fileprivate func bigEndian(at place: Int) -> UInt32 {
    guard count >= place + 4 else { return 0 }
    return self[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
