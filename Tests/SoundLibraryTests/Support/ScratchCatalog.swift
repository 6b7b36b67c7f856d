import CatalogModel
import CatalogStore
import CatalogTestSupport
import EventLog
import Foundation
import StoreTestSupport

@testable import SoundLibrary

/// A catalog in a folder of its own, with a clock that stands still.
struct ScratchCatalog: ScratchDatabase {
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

  /// Runs the projector in Python over the log and holds the live database against its rows.
  func reduceInPython() throws -> Program {
    try Program(
      "python3", "Tools/reducer.py", directory.events, directory.database,
      in: ScratchFolder.repository)
  }
}
