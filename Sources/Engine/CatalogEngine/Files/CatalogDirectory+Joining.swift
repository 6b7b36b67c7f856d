import EventLog
import Foundation

extension CatalogDirectory {
  /// Names the log of a new catalog, which other machines may share, and begins the catalog. If that is refused, the folder
  /// is as it was before.
  ///
  /// - Parameters:
  ///   - acceptsLoss: whether events are appended also to a server that may lose what it acknowledges.
  ///   - body: opens the catalog, and closes it.
  /// - Throws: as `share`; what `body` throws.
  package func joining<Result>(
    _ address: SharedLogAddress, acceptsLoss: Bool, _ body: () throws -> Result
  ) throws -> Result {
    let named = FileManager.default.contents(atPath: addressFile)
    do {
      return try UnfinishedCatalog(self, address: address).create {
        try share(address, acceptsLoss: acceptsLoss)
        return try body()
      }
    } catch {
      // It may have got the line about a loss.
      if let named, named != FileManager.default.contents(atPath: addressFile) {
        try? named.write(to: URL(fileURLWithPath: addressFile), options: .atomic)
      }
      throw error
    }
  }

  /// The folder and those above it that do not exist, the innermost first.
  var missingFolders: [String] {
    var folders: [String] = []
    var folder = path[...]
    while !folder.isEmpty, access(String(folder), F_OK) != 0 {
      folders.append(String(folder))
      guard let slash = folder.lastIndex(of: "/") else { break }
      folder = folder[..<slash]
    }
    return folders
  }
}
