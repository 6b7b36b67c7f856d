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
    let missing = missingFolders
    let others = Set(names)
    let named = FileManager.default.contents(atPath: addressFile)
    do {
      try share(address, acceptsLoss: acceptsLoss)
      return try body()
    } catch {
      removeBeginning(leaving: others)
      // It may have got the line about a loss.
      if let named, named != FileManager.default.contents(atPath: addressFile) {
        try? named.write(to: URL(fileURLWithPath: addressFile), options: .atomic)
      }
      // One that has a file meanwhile stays.
      for folder in missing { rmdir(folder) }
      throw error
    }
  }

  /// Removes the files that the beginning of a catalog makes, unless another process works on the same.
  private func removeBeginning(leaving others: Set<String>) {
    guard let lock = try? WriterLock(directory: path, holder: "init") else { return }
    withExtendedLifetime(lock) {
      let own = names.filter {
        [Self.addressName, "LOCK", "catalog.sqlite"].contains($0) || $0.hasPrefix("catalog.sqlite-")
      }
      for name in own where !others.contains(name) {
        unlink(path + "/" + name)
      }
    }
  }

  /// The folder and those above it that do not exist, the innermost first.
  private var missingFolders: [String] {
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
