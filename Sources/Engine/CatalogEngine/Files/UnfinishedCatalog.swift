package import EventLog
import Foundation

/// The folder of a catalog that is being created, so that a creation which fails leaves the folder as it was.
package struct UnfinishedCatalog: Sendable {
  private let directory: CatalogDirectory
  private let logID: LogID?
  private let address: SharedLogAddress?
  /// The names that the folder had before.
  private let names: Set<String>
  /// The folders that did not exist before, the innermost first.
  private let missing: [String]

  /// The last event of a catalog without rows: its creation is the first, its description the second.
  private static let lastOfCreation: UInt64 = 2
  private static let databases = ["catalog.sqlite", "history.sqlite", ".catalog.sqlite"]

  /// Notes what the folder has before the catalog is created.
  ///
  /// - Parameter logID: the id that a new log gets, so that a log which another process began meanwhile is known as that one's.
  package init(_ directory: CatalogDirectory, logID: LogID) {
    self.init(directory, logID: logID, address: nil)
  }

  /// - Parameter address: of the log on a server.
  package init(_ directory: CatalogDirectory, address: SharedLogAddress) {
    self.init(directory, logID: nil, address: address)
  }

  private init(_ directory: CatalogDirectory, logID: LogID?, address: SharedLogAddress?) {
    self.directory = directory
    self.logID = logID
    self.address = address
    names = Set(directory.names)
    missing = directory.missingFolders
  }

  /// Lets `body` create the catalog, and removes what is left of it if that fails.
  package func create<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      remove()
      throw error
    }
  }

  /// Removes the files of a new catalog that has no rows, or whose log did not begin, and the folders that are new. All stays if
  /// another process began the log, appended to it, named a server's, or has the lock of the log. A log on a server stays in any case.
  package func remove() {
    let named: SharedLogAddress?
    do { named = try directory.logAddress() } catch { return }
    if let named {
      guard named == address, let lock = try? WriterLock(directory: directory.path, holder: "init")
      else { return }
      withExtendedLifetime(lock) { removeFiles(and: [CatalogDirectory.addressName, "LOCK"]) }
    } else if access(directory.events, F_OK) != 0 {
      removeFiles(and: [])
    } else {
      guard let lock = try? WriterLock(log: directory.events, holder: "init"), hasOwnLog else {
        return
      }
      withExtendedLifetime(lock) { removeFiles(and: [CatalogDirectory.eventsName]) }
    }
    // One that has a file meanwhile stays.
    for folder in missing { rmdir(folder) }
  }

  /// Whether the log is the one that was to begin, without a row, or has no event.
  private var hasOwnLog: Bool {
    guard !names.contains(CatalogDirectory.eventsName), let store = try? directory.store(),
      let exists = try? store.exists()
    else { return false }
    guard exists else { return true }
    guard let end = try? store.end(applied: { nil }) else { return false }
    return end.logID == logID && end.head.sequence <= Self.lastOfCreation
  }

  private func removeFiles(and others: [String]) {
    for name in directory.names where !names.contains(name) {
      let database = Self.databases.first { name.hasPrefix($0) }
      // Files beside a database that was there before are another program's.
      guard others.contains(name) || database.map({ !names.contains($0) }) == true else { continue }
      // A file that stays is no catalog: the next command names it.
      try? FileManager.default.removeItem(atPath: "\(directory.path)/\(name)")
    }
  }
}
