package import EventLog
import Foundation
import Support

/// A folder for a new catalog: missing or empty before, and with a whole log afterwards, or as it was.
///
/// A process that was killed leaves its unfinished log and nothing else; the next one removes that and begins again. If it
/// was killed after its log got its name, the next one finds that the log is the one that it would write. The process at
/// work holds a lock on the folder.
package struct NewCatalogFolder: Sendable {
  package let path: String
  private let isThere: Bool
  /// Whether the folder contains a log, and nothing else: perhaps that of a process that was killed after its work.
  package let isFinished: Bool

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
      isFinished = try Self.isFinished(path)
    } else {
      isFinished = false
    }
    guard access(place, W_OK | X_OK) == 0 else {
      throw CatalogError(
        .directory, "cannot create \(path): \(place): \(SystemError.current)")
    }
  }

  /// Checks that the folder contains nothing but what a killed process left of the same work.
  ///
  /// - Returns: whether that is a log under its name.
  private static func isFinished(_ path: String) throws -> Bool {
    let left = try FileManager.default.contentsOfDirectory(atPath: path).filter {
      !isUnfinished($0)
    }
    if left.isEmpty { return false }
    guard left == [CatalogDirectory.eventsName],
      CatalogDirectory.hasFirstSegment("\(path)/\(left[0])")
    else { throw NewFolder.notEmpty(path) }
    return true
  }

  /// The id and the end of a log that is there already; nil if there is none.
  package func finishedEnd() throws -> (logID: LogID, head: LogHead)? {
    isFinished ? try EventLogReader(directory: events).end() : nil
  }

  /// The error of a log that is another one.
  var notEmpty: CatalogError { NewFolder.notEmpty(path) }

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
  /// - Throws: `CatalogError` with `directory` if another process writes to the folder.
  private func lock() throws -> FolderLock {
    guard let lock = FolderLock(path) else { throw failure("open") }
    // On a file system without locks two processes meet at the unfinished log.
    guard lock.take() != .busy else {
      throw CatalogError(
        .directory,
        "another process is writing a catalog to \(path); wait for it, or name a new one")
    }
    return lock
  }

  /// Lets `body` make a log in the folder that it is handed, and gives that its name when it is whole.
  ///
  /// Where this throws, nothing is left.
  func make<Result>(_ body: (String) throws -> Result) throws -> Result {
    if !isThere, mkdir(path, 0o777) != 0 { throw failure("create") }
    let lock = try lock()
    return try withExtendedLifetime(lock) { try makeLocked(body) }
  }

  private func makeLocked<Result>(_ body: (String) throws -> Result) throws -> Result {
    guard try Self.isFinished(path) == isFinished else { throw notEmpty }
    removeUnfinished()
    do {
      let result = try body(unfinished)
      if isFinished {
        let new = try EventLogReader(directory: unfinished).end()
        guard let new, let old = try finishedEnd(), new == old else { throw notEmpty }
        removeUnfinished()
        return result
      }
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
    do {
      try RealFileCalls().syncDirectory(path)
    } catch let error as FileFailure {
      throw failure("sync", error.errno)
    }
  }

  private func failure(_ action: String, _ number: Int32 = errno) -> CatalogError {
    CatalogError(.directory, "cannot \(action) \(path): \(SystemError.words(for: number))")
  }
}
