import CatalogModel
import LibC
import Projections
import Support

/// The installed audio files of a catalog, for SQL to ask about.
enum LocalFiles {
  /// `catalog_file_exists(local_path)`: 1 where that is a regular file within the folder.
  static let function = SQLFunction("catalog_file_exists", argumentCount: 1) {
    arguments, folder in
    guard case .text(let path) = arguments[0] else {
      throw ProjectionError(.drifted, "local_asset.local_path is \(arguments[0]), should be a text")
    }
    guard InstalledPath.isWithinCatalog(path) else { return .flag(false) }
    var info = stat()
    // Not through a link: an installed file is a file.
    return .flag(lstat(folder + "/" + path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG)
  }
}
