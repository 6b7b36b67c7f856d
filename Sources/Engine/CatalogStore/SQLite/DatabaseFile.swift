package import GRDB
import LibC
import Support

/// What a path leads to, looked at before SQLite opens it: to open a named pipe waits for ever, and to open a
/// dangling link makes a file wherever it leads.
package enum DatabaseFile {
  /// - Parameter isOwn: whether it is a catalog's own database. If not, no log can rebuild it.
  /// - Throws: `StoreError`: `notAFile` if the path, or one of the files that SQLite keeps beside it, is
  ///   anything but a regular file, a link to one, or nothing; `notPermitted` where it may not be read.
  package static func requireUsable(_ path: String, isOwn: Bool = true) throws {
    for path in [path, path + "-wal", path + "-shm", path + "-journal"] {
      if let kind = try kind(path) {
        throw StoreError(
          .notAFile,
          "\(path) is \(kind), not a database file; "
            + (isOwn
              ? "move it away, or \(do: .rebuild) sets it aside and rebuilds the database"
              : access(path + "/catalog.sqlite", F_OK) == 0
                ? "its database is \(path)/catalog.sqlite"
                : "name a database that a catalog of this kind wrote"))
      }
    }
    guard access(path, F_OK) != 0 || access(path, R_OK) == 0 else {
      throw StoreError(
        .notPermitted,
        "cannot read \(path): \(String(cString: strerror(errno))); give this user read permission"
          + (isOwn ? ", or \(do: .rebuild) sets it aside and rebuilds the database" : ""))
    }
  }

  /// Whether there is a file that SQLite can be asked to open; false for nothing, too.
  package static func isUsable(_ path: String) -> Bool {
    var info = stat()
    guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return false }
    return stat(path + "-wal", &info) != 0 || info.st_mode & S_IFMT == S_IFREG
  }

  /// Bytes of a file; 0 if there is none.
  package static func byteCount(_ path: String) -> Int {
    var info = stat()
    return stat(path, &info) == 0 ? Int(info.st_size) : 0
  }

  /// Whether the volume of a path has no room for the smallest file that SQLite makes beside a database, its index of the write-ahead
  /// log.
  package static func isOnFullVolume(_ path: String) -> Bool {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    var info = statvfs()
    guard statvfs(folder.isEmpty ? "/" : folder, &info) == 0 else { return false }
    return UInt64(info.f_bavail) * UInt64(info.f_frsize) < 32 << 10
  }

  /// Whether this user may write the file, and into its folder.
  package static func isWritable(_ path: String) -> Bool {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    return access(folder.isEmpty ? "/" : folder, W_OK) == 0
      && (access(path, F_OK) != 0 || access(path, W_OK) == 0)
  }

  /// Whether the name is a link's, wherever it leads.
  package static func isLink(_ path: String) -> Bool {
    var info = stat()
    return lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFLNK
  }

  /// Whether the name is taken, by whatever.
  package static func isTaken(_ path: String) -> Bool {
    var info = stat()
    return lstat(path, &info) == 0
  }

  /// What has the name, where that is not a file; nil for a file, a link to one, and nothing.
  private static func kind(_ path: String) throws -> String? {
    var info = stat()
    guard stat(path, &info) == 0 else {
      // A file that another process made in between is not a link.
      let isDangling = (errno == ENOENT || errno == ELOOP) && isLink(path)
      return isDangling ? "a dangling link" : nil
    }
    switch info.st_mode & S_IFMT {
    case S_IFREG: return nil
    case S_IFDIR: return "a folder"
    case S_IFIFO: return "a named pipe"
    case S_IFSOCK: return "a socket"
    default: return "a device"
    }
  }

  /// - Throws: if the file is not a database.
  package static func requireReadable(_ database: Database) throws {
    _ = try database.hasRow("SELECT 1 FROM sqlite_schema LIMIT 1")
  }
}
