import Foundation
import Recoveries

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A folder for a new catalog: missing or empty before, and with a whole log afterwards, or as it was.
package struct NewCatalogFolder: Sendable {
  package let path: String
  private let isThere: Bool

  private var unfinished: String { path + "/.events.unfinished" }
  package var events: String { CatalogDirectory(path).events }
  /// A file for work on the way; to be removed before the end.
  var scratch: String { path + "/.salvage.sqlite" }

  /// - Parameter other: the folder of the old log, in which nothing may be made.
  /// - Throws: `CatalogError` with `directory` where the folder cannot be used; nothing is made yet.
  package init(_ path: String, apartFrom other: String) throws {
    let path = CatalogDirectory(path).path
    self.path = path
    var info = stat()
    isThere = lstat(path, &info) == 0
    // NSString's deletingLastPathComponent traps on Linux for a path of one letter.
    let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
    let place = isThere ? path : parent ?? "."
    if isThere {
      guard info.st_mode & S_IFMT == S_IFDIR else {
        throw CatalogError(.directory, "\(path) already exists and is not a folder; name a new one")
      }
      guard try FileManager.default.contentsOfDirectory(atPath: path).isEmpty else {
        throw CatalogError(
          .directory, "the folder \(path) already exists and is not empty; name a new one")
      }
    }
    guard access(place, W_OK | X_OK) == 0 else {
      throw CatalogError(
        .directory, "cannot create \(path): \(place): \(String(cString: strerror(errno)))")
    }
    if let old = Self.resolved(other), let new = Self.resolved(place),
      new == old || new.hasPrefix(old + "/")
    {
      throw CatalogError(
        .directory, "\(path) is in the folder of the old log, which is never changed; name another")
    }
  }

  private static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Lets `body` make a log in the folder that it is handed, and gives that its name when it is whole.
  ///
  /// Where this throws, nothing is left.
  func make<Result>(_ body: (String) throws -> Result) throws -> Result {
    if !isThere, mkdir(path, 0o777) != 0 { throw failure("create") }
    do {
      let result = try body(unfinished)
      try sync(unfinished)
      guard rename(unfinished, events) == 0 else { throw failure("name the log in") }
      try sync(path)
      return result
    } catch {
      for made in [unfinished, scratch] { try? FileManager.default.removeItem(atPath: made) }
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
