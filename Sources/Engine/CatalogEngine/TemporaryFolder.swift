import Foundation
import Recoveries

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A folder for copies of a catalog that are read and thrown away. Nobody but this user can enter it.
///
/// Its name has the number of the process that made it, and that process holds a lock on it: where the
/// process was killed, the next one that makes such a folder removes this one.
package final class TemporaryFolder: Sendable {
  private static let prefix = "sound-catalog-copies-"

  package let path: String
  /// Open, and locked, as long as the folder is in use.
  private let descriptor: Int32

  /// Makes a folder where temporary files go, with mode 0700.
  ///
  /// - Throws: `CatalogError` with `directory` where none can be made.
  package init() throws {
    let parent = FileManager.default.temporaryDirectory.path
    Self.sweep(parent)
    // mkdtemp puts other characters in the place of the last six.
    var template = Array("\(parent)/\(Self.prefix)\(getpid())-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { template in
      template.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    guard let made else {
      throw CatalogError(
        .directory,
        "cannot create a folder for temporary files in \(parent): \(String(cString: strerror(errno)))"
      )
    }
    path = made
    descriptor = open(made, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    // Without the lock the number of the process is all that keeps others from removing it.
    if descriptor >= 0 { _ = flock(descriptor, LOCK_EX | LOCK_NB) }
  }

  deinit {
    remove()
    if descriptor >= 0 { close(descriptor) }
  }

  package func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Removes the folder with all that is in it. A file that is open can still be read.
  package func remove() {
    // What cannot be removed now, the next process removes.
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Removes what killed processes of this user left. Only this user can change what is in such a folder, so that
  /// nobody else can lead the removal elsewhere.
  package static func sweep(_ parent: String) {
    // Where it cannot be listed, nothing can be made in it either, which is an error of its own.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] {
      guard let process = owner(of: name), process != getpid(), kill(process, 0) != 0,
        errno == ESRCH
      else { continue }
      let path = "\(parent)/\(name)"
      let found = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard found >= 0 else { continue }
      defer { close(found) }
      var status = stat()
      guard fstat(found, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 == 0,
        // A process of another container, whose number means nothing here, holds its lock.
        flock(found, LOCK_EX | LOCK_NB) == 0
      else { continue }
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  private static func owner(of name: String) -> pid_t? {
    guard name.hasPrefix(prefix),
      let process = pid_t(name.dropFirst(prefix.count).prefix { $0 != "-" }), process > 0
    else { return nil }
    return process
  }
}
