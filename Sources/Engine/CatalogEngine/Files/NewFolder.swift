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

  /// Removes the folder again, if this process created it and it is empty.
  package func removeIfUnused() {
    if isMade { rmdir(path) }
  }
}
