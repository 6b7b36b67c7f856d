import Foundation
import Support

/// A folder for copies of a catalog that are read and thrown away. Nobody but this user can enter it.
///
/// Its name has the number of the process that made it, and that process holds a lock on it: where the
/// process was killed, the next one that makes such a folder removes this one.
package final class TemporaryFolder: Sendable {
  private static let prefix = "catalog-copies-"
  /// The beginning of such names in earlier programs.
  private static let formerPrefix = "sound-catalog-copies-"

  package let path: String
  /// Held as long as the folder is in use. Nil if the folder cannot be opened: then the number of the process is all that keeps
  /// others from removing it, as on a file system without locks.
  private let lock: FolderLock?

  /// Makes a folder where temporary files go, with mode 0700.
  ///
  /// - Throws: `CatalogError` with `directory` where none can be made.
  package convenience init() throws {
    try self.init(in: FileManager.default.temporaryDirectory.path)
  }

  /// - Parameter didMake: called with a folder that was made and is not locked yet.
  init(in parent: String, didMake: (String) -> Void = { _ in }) throws {
    Self.sweep(parent)
    // A process of another container, to which this one's number means nothing, may sweep a folder that is not locked
    // yet: then another one is made.
    for _ in 0..<100 {
      let made = try Self.make(in: parent)
      didMake(made)
      let lock = FolderLock(made, followsLinks: false)
      let isGone = lock == nil ? errno == ENOENT : lock?.take() == .busy
      // Another process that locked it before this one may have removed it since it was opened.
      if isGone || lock != nil && access(made, F_OK) != 0 { continue }
      (path, self.lock) = (made, lock)
      return
    }
    throw CatalogError(
      .directory, "cannot keep a folder for temporary files in \(parent): others remove it")
  }

  private static func make(in parent: String) throws -> String {
    // mkdtemp puts other characters in the place of the last six, which have to be these.
    let name = "\(prefix)\(getpid())-" + String(repeating: "X", count: 6)
    var template = Array("\(parent)/\(name)".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { template in
      template.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    guard let made else {
      throw CatalogError(
        .directory,
        "cannot create a folder for temporary files in \(parent): \(SystemError.current)"
      )
    }
    return made
  }

  deinit {
    remove()
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
      guard let lock = FolderLock(path, followsLinks: false) else { continue }
      var status = stat()
      guard fstat(lock.descriptor, &status) == 0, status.st_uid == geteuid(),
        status.st_mode & 0o077 == 0,
        // A process of another container, whose number means nothing here, holds its lock.
        lock.take() == .taken
      else { continue }
      withExtendedLifetime(lock) { try? FileManager.default.removeItem(atPath: path) }
    }
  }

  private static func owner(of name: String) -> pid_t? {
    guard let prefix = [prefix, formerPrefix].first(where: name.hasPrefix),
      let process = pid_t(name.dropFirst(prefix.count).prefix { $0 != "-" }), process > 0
    else { return nil }
    return process
  }
}
