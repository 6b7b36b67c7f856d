import EventLog
import Foundation

/// The folder of a catalog that is being created, so that a command which fails leaves nothing.
package struct UnfinishedCatalog: Sendable {
  private let directory: CatalogDirectory
  private let existed: Bool
  /// The names that the folder had before.
  private let names: Set<String>

  /// The last event of a catalog without rows: its creation is the first, its description the second.
  private static let lastOfCreation: UInt64 = 2

  /// - Parameter directory: is looked at before the catalog is created.
  package init(_ directory: CatalogDirectory) {
    self.directory = directory
    existed = FileManager.default.fileExists(atPath: directory.path)
    names = Set(Self.names(in: directory))
  }

  /// Lets `body` create the catalog, and removes what is left of it if that fails.
  package func create<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      removeNew()
      throw error
    }
  }

  /// Removes a new catalog that has no rows, or whose log did not begin, and its folder if that is new, too. A log on a server
  /// stays, and so does a log to which another process has appended.
  package func removeNew() {
    guard !names.contains("events"), hasLocalLog else { return }
    // A log that cannot be read may be one of another process.
    let hasLog = (try? directory.store().exists()) ?? true
    if hasLog {
      guard let head = try? directory.existingLog().head(), head.sequence <= Self.lastOfCreation
      else { return }
    }
    for name in Self.names(in: directory) where !names.contains(name) && Self.isOfCatalog(name) {
      // A file that stays is no catalog: the next command names it.
      try? FileManager.default.removeItem(atPath: "\(directory.path)/\(name)")
    }
    if !existed { rmdir(directory.path) }
  }

  private var hasLocalLog: Bool {
    do { return try directory.logAddress() == nil } catch { return false }
  }

  private static func isOfCatalog(_ name: String) -> Bool {
    ["events", "kind.json"].contains(name)
      || ["catalog.sqlite", "history.sqlite", ".catalog.sqlite"].contains { name.hasPrefix($0) }
  }

  private static func names(in directory: CatalogDirectory) -> [String] {
    // A folder that is missing has none.
    (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
  }
}
