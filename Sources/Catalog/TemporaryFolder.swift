import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A folder for copies of a catalog that are read and thrown away, which nobody but this user can enter.
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
    var name = Array("\(parent)/\(Self.prefix)\(getpid())-XXXXXX".utf8CString)
    let made = name.withUnsafeMutableBufferPointer { name in
      name.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    guard let made else {
      throw CatalogError(
        .directory,
        "cannot make a folder for temporary files in \(parent): \(String(cString: strerror(errno)))"
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
    guard let parent = FolderStream(path + "/..") else { return }
    Self.remove(path.split(separator: "/").last.map(String.init) ?? "", in: parent.descriptor)
  }

  /// Removes what killed processes of this user left.
  package static func sweep(_ parent: String) {
    guard let folder = FolderStream(parent) else { return }
    for name in folder.names() where name.hasPrefix(prefix) {
      guard let process = owner(of: name), process != getpid(), kill(process, 0) != 0,
        errno == ESRCH
      else { continue }
      // By what is open, not by its name: a name may lead elsewhere a moment later.
      let found = openat(
        folder.descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard found >= 0 else { continue }
      defer { close(found) }
      var status = stat()
      guard fstat(found, &status) == 0, status.st_uid == geteuid(),
        // A process of another container, whose number means nothing here, holds its lock.
        flock(found, LOCK_EX | LOCK_NB) == 0
      else { continue }
      remove(name, in: folder.descriptor)
    }
  }

  private static func owner(of name: String) -> pid_t? {
    let number = name.dropFirst(prefix.count).prefix { $0 != "-" }
    guard let process = pid_t(number), process > 0 else { return nil }
    return process
  }

  /// Follows no link. What cannot be removed stays.
  private static func remove(_ name: String, in folder: Int32) {
    guard unlinkat(folder, name, 0) != 0 else { return }
    if let inner = FolderStream(name, in: folder) {
      for name in inner.names() { remove(name, in: inner.descriptor) }
    }
    _ = unlinkat(folder, name, AT_REMOVEDIR)
  }
}

/// A folder that is open, to list it.
private final class FolderStream {
  private let stream: DirectoryStream
  let descriptor: Int32

  /// Nil where there is no such folder, or a link in its place.
  convenience init?(_ path: String) {
    self.init(path, in: AT_FDCWD)
  }

  init?(_ name: String, in folder: Int32) {
    let found = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard found >= 0 else { return nil }
    guard let stream = fdopendir(found) else {
      close(found)
      return nil
    }
    self.stream = stream
    descriptor = found
  }

  deinit {
    closedir(stream)
  }

  func names() -> [String] {
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}

#if canImport(Glibc)
  private typealias DirectoryStream = OpaquePointer
#else
  private typealias DirectoryStream = UnsafeMutablePointer<DIR>
#endif
