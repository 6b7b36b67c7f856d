import Foundation
import Support

/// A folder that a command fills with new files: missing before, or empty.
package struct NewFolder {
  package let path: String
  private let isMade: Bool

  /// Creates the folder if it does not exist.
  ///
  /// - Parameter places: of the catalog that the files are made from, which has its own files.
  /// - Throws: `CatalogError` with `directory` if the folder contains anything, or if it cannot be created.
  package init(_ path: String, apartFrom places: CatalogPlaces) throws {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    self.path = path
    try places.requireApart(path)
    if mkdir(path, 0o777) == 0 {
      isMade = true
      return
    }
    isMade = false
    let number = errno
    var info = stat()
    guard number == EEXIST, stat(path, &info) == 0 else {
      throw CatalogError(.directory, "cannot create \(path): \(SystemError.words(for: number))")
    }
    guard info.st_mode & S_IFMT == S_IFDIR else {
      throw CatalogError(
        .directory, "\(path) already exists and is not a folder; name a new folder")
    }
    UnfinishedFiles.sweep(path)
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      throw CatalogError(.directory, "cannot list \(path): \(SystemError.current)")
    }
    guard names.isEmpty else { throw Self.notEmpty(path) }
  }

  static func notEmpty(_ path: String) -> CatalogError {
    CatalogError(.directory, "the folder \(path) already exists and is not empty; name a new one")
  }

  /// Fills the folder, which gets what was made for it when all of that is complete and durable. If this throws, the folder is as it
  /// was before.
  ///
  /// A process that is killed while the entries get their names leaves some of them under their names, the others in a hidden folder.
  ///
  /// - Parameter body: makes files and folders in the hidden folder that it is handed.
  package func fill<Result>(_ body: (String) throws -> Result) throws -> Result {
    let scratch = "\(path)/\(UnfinishedFiles.name(of: "entries"))"
    do {
      guard mkdir(scratch, 0o777) == 0 else { throw failure("create") }
      let result = try body(scratch)
      // One call for all files: a package of concerts has tens of thousands.
      sync()
      for name in try FileManager.default.contentsOfDirectory(atPath: scratch).sorted() {
        guard rename("\(scratch)/\(name)", "\(path)/\(name)") == 0 else {
          throw failure("name a file of")
        }
      }
      guard rmdir(scratch) == 0 else { throw failure("complete") }
      return result
    } catch {
      try? FileManager.default.removeItem(atPath: scratch)
      removeIfUnused()
      throw error
    }
  }

  private func failure(_ verb: String, _ number: Int32 = errno) -> CatalogError {
    CatalogError(.directory, "cannot \(verb) \(path): \(SystemError.words(for: number))")
  }

  /// Removes the folder again, if this process created it and it is empty.
  package func removeIfUnused() {
    if isMade { rmdir(path) }
  }
}
