import Foundation
import Recoveries

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A folder for a new catalog: missing or empty before, and with a whole log afterwards, or as it was.
///
/// A process that was killed leaves its unfinished log and nothing else; the next one removes that and begins again. The
/// process at work holds a lock on the folder.
package struct NewCatalogFolder: Sendable {
  package let path: String
  private let isThere: Bool

  private static let unfinishedName = ".events.unfinished"
  private static let scratchName = ".salvage.sqlite"

  private var unfinished: String { "\(path)/\(Self.unfinishedName)" }
  package var events: String { CatalogDirectory(path).events }
  /// A file for work on the way; to be removed before the end.
  var scratch: String { "\(path)/\(Self.scratchName)" }

  /// - Parameter places: of the old catalog, where nothing may be made.
  /// - Throws: `CatalogError` with `directory` if the folder cannot be used; nothing is made yet.
  package init(_ path: String, apartFrom places: CatalogPlaces) throws {
    let path = CatalogDirectory(path).path
    self.path = path
    try places.requireApart(path)
    var info = stat()
    isThere = lstat(path, &info) == 0
    // NSString's deletingLastPathComponent traps on Linux for a path of one letter.
    let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
    let place = isThere ? path : parent ?? "."
    if isThere {
      guard info.st_mode & S_IFMT == S_IFDIR else {
        throw CatalogError(.directory, "\(path) already exists and is not a folder; name a new one")
      }
      try requireNothingElse()
    }
    guard access(place, W_OK | X_OK) == 0 else {
      throw CatalogError(
        .directory, "cannot create \(path): \(place): \(String(cString: strerror(errno)))")
    }
  }

  /// Checks that the folder contains nothing but what a killed process left of the same work.
  private func requireNothingElse() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    guard names.allSatisfy(Self.isUnfinished) else {
      throw CatalogError(
        .directory, "the folder \(path) already exists and is not empty; name a new one")
    }
  }

  /// With what SQLite keeps beside the file for work on the way.
  private static func isUnfinished(_ name: String) -> Bool {
    name == unfinishedName || name == scratchName || name.hasPrefix(scratchName + "-")
  }

  private func removeUnfinished() {
    // What cannot be removed fails the work that follows, which says so.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    where Self.isUnfinished(name) {
      try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }
  }

  /// Locks the folder for this process.
  ///
  /// - Returns: a descriptor to close, which gives the lock back.
  /// - Throws: `CatalogError` with `directory` if another process writes to the folder.
  private func lock() throws -> Int32 {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open") }
    // A file system without locks has no such number; there, two processes meet at the unfinished log.
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      close(descriptor)
      throw CatalogError(
        .directory,
        "another process is writing a catalog to \(path); wait for it, or name a new one")
    }
    return descriptor
  }

  /// Lets `body` make a log in the folder that it is handed, and gives that its name when it is whole.
  ///
  /// Where this throws, nothing is left.
  func make<Result>(_ body: (String) throws -> Result) throws -> Result {
    if !isThere, mkdir(path, 0o777) != 0 { throw failure("create") }
    let descriptor = try lock()
    defer { close(descriptor) }
    try requireNothingElse()
    removeUnfinished()
    do {
      let result = try body(unfinished)
      try sync(unfinished)
      guard rename(unfinished, events) == 0 else { throw failure("name the log in") }
      try sync(path)
      return result
    } catch {
      removeUnfinished()
      if !isThere { rmdir(path) }
      throw error
    }
  }

  private func sync(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("sync") }
  }

  private func failure(_ action: String, _ number: Int32 = errno) -> CatalogError {
    CatalogError(.directory, "cannot \(action) \(path): \(String(cString: strerror(number)))")
  }
}
