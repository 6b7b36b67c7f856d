import CatalogModel
import GRDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The installed audio files of a catalog, for SQL to ask about.
struct LocalFiles {
  static let functionName = "catalog_file_exists"

  /// The folder that `local_path` is relative to.
  let folder: String

  /// `catalog_file_exists(local_path)`: 1 where that is a regular file within the folder.
  var function: DatabaseFunction {
    DatabaseFunction(Self.functionName, argumentCount: 1) { [folder] values in
      guard case .string(let path) = values[0].storage else {
        throw DatabaseError(
          resultCode: .SQLITE_MISMATCH,
          message: "local_asset.local_path is \(values[0]), should be a text")
      }
      guard InstalledPath.isWithinCatalog(path) else { return false }
      var info = stat()
      // Not through a link: an installed file is a file.
      return lstat(folder + "/" + path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG
    }
  }
}
