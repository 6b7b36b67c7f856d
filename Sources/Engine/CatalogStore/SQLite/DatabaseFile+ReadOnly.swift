import CatalogModel
import GRDB
import LibC
package import Support

// A database that this process cannot write: on read-only media, or in the folder of another user.
extension DatabaseFile {
  /// How SQLite can read such a database.
  enum ReadOnlyAccess: Sendable {
    /// With the files beside it, which another program may write: SQLite reads the write-ahead log, by its index.
    case shared
    /// As a file that does not change: nothing is beside it. SQLite could not make the files that it reads with.
    case settled(DatabaseStamp)
    /// Not at all: a write-ahead log lacks its index, which has to be made, or a journal has to be rolled back.
    case unfinished
  }

  /// - Returns: nil if the file does not exist.
  static func readOnlyAccess(_ path: String) -> ReadOnlyAccess? {
    guard let stamp = DatabaseStamp(of: path) else { return nil }
    let real = DatabaseStamp.realPath(path)
    if access(real + "-wal", F_OK) == 0, access(real + "-shm", F_OK) == 0 { return .shared }
    return stamp.hasLog ? .unfinished : .settled(stamp)
  }

  /// The name of a file that does not change, as a URI; whatever has a meaning there is escaped.
  static func immutableName(_ path: String) -> String {
    var name = path.hasPrefix("/") ? "file://" : "file:"
    for byte in path.utf8 {
      if byte.isASCIIAlphanumeric || "/.".utf8.contains(byte) {
        name.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        name += "%" + Hex.string([byte])
      }
    }
    return name + "?immutable=1"
  }

  /// The name by which a connection that only reads opens a database.
  static func readingName(_ path: String) -> String {
    guard !isWritable(path), case .settled = readOnlyAccess(path) else { return path }
    return immutableName(path)
  }

  /// The name by which a database is read as a file that does not change, if SQLite finds no room for the files beside it that
  /// it reads with.
  ///
  /// - Returns: nil if the error is another one, or if the file is not all of the database.
  static func nameWithoutRoom(_ path: String, _ error: DatabaseError) -> String? {
    guard [.SQLITE_FULL, .SQLITE_IOERR].contains(error.resultCode),
      DatabaseStamp(of: path)?.hasLog == false
    else { return nil }
    return immutableName(path)
  }

  /// The name by which a connection that only reads opens a database that it needs.
  ///
  /// - Throws: `StoreError` with `readOnly` if SQLite has to write before it can read.
  package static func nameToRead(_ path: String) throws -> String {
    if !isWritable(path), case .unfinished = readOnlyAccess(path) { throw unfinished(path) }
    return readingName(path)
  }

  /// Why nothing can be written at a path, and what to do; nil if it can be, or if there is nothing.
  package static func writingProblem(_ path: String) -> ErrorMessage? {
    guard access(path, F_OK) == 0, access(path, W_OK) != 0 else { return nil }
    let remedy = "copy the catalog to a folder that can be written, and change the copy"
    return errno == EROFS
      ? "\(path) is on read-only media, so nothing can be changed; \(remedy)"
      : "this user may not write to \(path); give write permission, or \(remedy)"
  }

  /// The error of a program that would have to write.
  static func notWritable(_ path: String) -> StoreError {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let problem = writingProblem(folder.isEmpty ? "/" : folder) ?? writingProblem(path)
    return StoreError(.readOnly, problem ?? "\(path) cannot be written")
  }

  static func unfinished(_ path: String) -> StoreError {
    StoreError(
      .readOnly,
      "\(path) was not closed by the program that wrote to it last, and SQLite has to finish that, but cannot write "
        + "here; copy the catalog to a folder that can be written")
  }
}
