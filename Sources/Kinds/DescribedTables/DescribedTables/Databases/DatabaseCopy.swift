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

  private static let suffixes = ["", "-wal", "-journal"]
  private static let attempts = 3
  /// Times of files have steps of some milliseconds: a change within the step of the change before could not be seen.
  private static let timeStep = 0.02

  /// - Parameter file: the database, as the caller named it.
  /// - Throws: `DocumentError` if it cannot be copied, is cut, or changes during each of three attempts.
  init(_ file: String) throws(DocumentError) {
    name = file
    let real = DatabaseStamp.realPath(file)
    do {
      folder = try TemporaryFolder()
    } catch {
      throw DocumentError(
        code: .fileUnreadable, file: file, message: "it cannot be copied: \(error)",
        advice: "TMPDIR names a folder with room")
    }
    path = folder.file("copy")
    for attempt in 1...Self.attempts {
      let before = Self.settledStates(real)
      var copying = Copying(file)
      let copied = try copying.copy(real, before.states, to: path)
      guard let copied, Self.states(real) == before.states else {
        if attempt < Self.attempts { usleep(useconds_t(attempt * 100_000)) }
        continue
      }
      size = before.states.reduce(0) { $0 + ($1?.size ?? 0) }
      sha256 = copied.sha256
      modified = before.modified
      changeCounter = copied.header.bigEndian(at: 24)
      if before.states.dropFirst().allSatisfy({ $0 == nil }) {
        try Self.requireWhole(copied.header, before.states[0]?.size ?? 0, file)
      }
      return
    }
    throw DocumentError(
      code: .fileUnreadable, file: file,
      message: "the file changed while it was copied, \(Self.attempts) times",
      advice: "try again when its program writes less")
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
        // The schema is another program's, and its expressions are not carried out.
        try database.execute(sql: "PRAGMA trusted_schema = 0; PRAGMA ignore_check_constraints = 1")
      }
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      defer { try? queue.close() }
      return try queue.read(body)
    } catch let error as DocumentError {
      throw error
    } catch let error as DatabaseError {
      throw unreadable(error.message ?? "\(error)")
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

  // MARK: Files

  /// The facts by which a change of a file is seen.
  private struct State: Equatable {
    let device: UInt64
    let number: UInt64
    let size: Int
    let modified: Double
    let changed: Double

    /// Nil if there is no such file, or if it is empty.
    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0, status.st_size > 0 else { return nil }
      device = UInt64(status.st_dev)
      number = UInt64(status.st_ino)
      size = Int(status.st_size)
      #if canImport(Darwin)
        let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
      #else
        let (modified, changed) = (status.st_mtim, status.st_ctim)
      #endif
      self.modified = Double(modified.tv_sec) + Double(modified.tv_nsec) / 1e9
      self.changed = Double(changed.tv_sec) + Double(changed.tv_nsec) / 1e9
    }
  }

  private static func states(_ path: String) -> [State?] { suffixes.map { State(path + $0) } }

  /// The states of the files at a time at which a later change gives another state.
  private static func settledStates(
    _ path: String
  ) -> (states: [State?], modified: Timestamp) {
    var states = states(path)
    var newest = states.compactMap { $0?.modified }.max() ?? 0
    let age = Date().timeIntervalSince1970 - newest
    if age < timeStep {
      usleep(useconds_t((timeStep - max(age, 0)) * 1e6))
      states = self.states(path)
      newest = states.compactMap { $0?.modified }.max() ?? 0
    }
    return (states, Timestamp(milliseconds: Int64(newest * 1_000)))
  }

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

  /// - Returns: nil if a file is no more what it was.
  mutating func copy(
    _ path: String, _ states: [(some Any)?], to copy: String
  ) throws(DocumentError) -> (sha256: String, header: [UInt8])? {
    (hash, header) = (SHA256(), [])
    for (suffix, state) in zip(["", "-wal", "-journal"], states) {
      unlink(copy + suffix)
      guard state != nil else { continue }
      guard try copyFile(path + suffix, to: copy + suffix) else { return nil }
    }
    // SQLite makes the index of the write-ahead log again.
    unlink(copy + "-shm")
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
