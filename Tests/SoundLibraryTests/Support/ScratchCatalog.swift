import CatalogModel
import CatalogStore
import CatalogTestSupport
import EventLog
import Foundation
import GRDB

@testable import SoundLibrary

/// A catalog in a folder of its own, with a clock that stands still.
struct ScratchCatalog {
  let scratch: ScratchFolder
  let directory: CatalogDirectory

  init() throws {
    scratch = try ScratchFolder()
    directory = CatalogDirectory(scratch.file("library"))
  }

  static var options: SoundLibrary.Options {
    get throws {
      var options = SoundLibrary.Options(
        stale: .rebuild, wait: .seconds(20), clock: .fixed(try time(1_767_225_600_000)))
      options.newLogID = { LogID(bytes: Array(1...16)) }
      return options
    }
  }

  static func time(_ milliseconds: Int64) throws -> Timestamp {
    Timestamp(milliseconds: milliseconds)
  }

  func open(_ change: (inout SoundLibrary.Options) -> Void = { _ in }) async throws -> SoundLibrary
  {
    var options = try Self.options
    change(&options)
    return try await SoundLibrary.open(directory, options: options)
  }

  /// Opens, imports and closes.
  @discardableResult
  func apply(_ seed: TestSeed, retiresMissing: Bool = false) async throws -> SeedImportReport {
    let catalog = try await open()
    defer { catalog.close() }
    return try await catalog.importer.applyUpdates(seed.source, retiresMissing: retiresMissing)
  }

  func receipt() async throws -> Receipt {
    let catalog = try await open()
    defer { catalog.close() }
    return try await catalog.receipt()
  }

  /// The error's words where the import is refused; nil if it is not.
  func refusal(of seed: TestSeed) async throws -> DocumentError? {
    do {
      try await apply(seed)
      return nil
    } catch let error as DocumentError {
      return error
    }
  }

  var head: LogHead? {
    get throws { try EventLogReader(directory: directory.events).head() }
  }

  /// The bytes of every file of the log, by name.
  var logFiles: [String: Data] {
    get throws {
      var files: [String: Data] = [:]
      for name in try FileManager.default.contentsOfDirectory(atPath: directory.events) {
        let path = directory.events + "/" + name
        files[name] = try Data(contentsOf: URL(fileURLWithPath: path))
      }
      return files
    }
  }

  /// Rows of the live database as texts, columns joined by `|`, NULL as `~`.
  func rows(_ sql: String) throws -> [String] {
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
  func execute(_ sql: String) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(60)
    let queue = try DatabaseQueue(path: directory.database, configuration: configuration)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
  }

  func removeDatabase() throws {
    for suffix in ["", "-wal", "-shm"] {
      let path = directory.database + suffix
      if FileManager.default.fileExists(atPath: path) {
        try FileManager.default.removeItem(atPath: path)
      }
    }
  }

  /// Runs the projector in Python over the log and holds the live database against its rows.
  func reduceInPython() throws -> Program {
    try Program(
      "python3", "Tools/reducer.py", directory.events, directory.database,
      in: ScratchFolder.repository)
  }
}
