package import CatalogEngine
import EventLog
import Foundation
import GRDB

/// A catalog in a folder of its own, whose live database a test reads and changes by hand.
package protocol ScratchDatabase {
  var directory: CatalogDirectory { get }
}

extension ScratchDatabase {
  /// Rows of the live database as texts, columns joined by `|`, NULL as `~`.
  package func rows(_ sql: String) throws -> [String] {
    let queue = try DatabaseQueue(path: directory.database)
    return try queue.read { database in
      try Row.fetchAll(database, sql: sql).map { row in
        row.databaseValues.map { String.fromDatabaseValue($0) ?? ($0.isNull ? "~" : "\($0)") }
          .joined(separator: "|")
      }
    }
  }

  /// Changes the live database by hand. It waits for a lock: an open catalog keeps the line of a proved database under
  /// SQLite's own, a moment after a change.
  package func execute(_ sql: String) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(60)
    let queue = try DatabaseQueue(path: directory.database, configuration: configuration)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
  }

  package func removeDatabase() throws {
    for suffix in ["", "-wal", "-shm"] {
      let path = directory.database + suffix
      if FileManager.default.fileExists(atPath: path) {
        try FileManager.default.removeItem(atPath: path)
      }
    }
  }
}
