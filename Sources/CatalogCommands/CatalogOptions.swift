import ArgumentParser
import Catalog
import CatalogModel
import EventLog
import Foundation
import Logging

/// How a command prints.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case json
}

/// Which catalog a command works on.
struct CatalogLocation: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The folder of the catalog.",
      discussion: "Default: $CATALOG_HOME, else the user's data folder.", valueName: "dir"),
    completion: .directory)
  var catalog: String?

  init() {}

  func validate() throws {
    if catalog == "" { throw ValidationError("--catalog needs a folder") }
  }

  var directory: CatalogDirectory { get throws { try Self.directory(catalog) } }

  /// - Parameter catalog: the folder that was named, if any.
  /// - Throws: `CatalogError` with `directory` where neither an option nor the environment names one.
  static func directory(_ catalog: String?) throws -> CatalogDirectory {
    if let catalog { return CatalogDirectory(catalog) }
    guard
      let directory = CatalogDirectory.standard(environment: {
        ProcessInfo.processInfo.environment[$0]
      })
    else {
      throw CatalogError(
        .directory,
        "no folder for the catalog: HOME is not set; name one with --catalog or CATALOG_HOME")
    }
    return directory
  }

  /// Options for opening a catalog from the command line: a stale projection is refused, progress is
  /// shown.
  func opening(
    _ progress: ProgressPrinter, wait: Duration? = nil, clock: CatalogClock = .system
  ) -> SoundCatalog.Options {
    SoundCatalog.Options(
      stale: .refuse, wait: wait, clock: clock, logger: .toStandardError(Console.current),
      progress: progress.observer)
  }
}

extension CatalogDirectory {
  /// As `existingLog`; a log that is gone beside a database that has applied events of it is a loss.
  func logThatShouldBe() throws -> EventLogReader {
    do {
      return try existingLog()
    } catch let error as CatalogError where error.code == .noCatalog {
      if let lost = try LostEvents.find(in: self) { throw lost }
      throw error
    }
  }
}

/// What nearly every command takes.
struct CatalogOptions: ParsableArguments {
  @OptionGroup var location: CatalogLocation

  @Option(name: .long, help: "How to print.")
  var format: OutputFormat = .text

  init() {}

  var directory: CatalogDirectory { get throws { try location.directory } }

  /// The log of a catalog that must be there, to be read without its database. Where it lacks events that
  /// the database has applied, this says so, and the command ends with status 3.
  func log() throws -> EventLogReader {
    let log = try directory.logThatShouldBe()
    if let lost = try LostEvents.find(in: directory) { Console.current.warn(ofLost: lost) }
    return log
  }

  /// The same for a command that writes to the catalog's folder.
  ///
  /// - Throws: `lostEvents` where the log lacks events that the database has applied.
  func wholeLog() throws -> EventLogReader {
    let log = try directory.logThatShouldBe()
    if let lost = try LostEvents.find(in: directory) { throw lost }
    return log
  }

  /// Opens a catalog that must be there, shows its progress and closes it afterwards.
  ///
  /// - Parameter usesIndex: false for a question that SQL answers sooner than an index is made.
  func withCatalog(
    wait: Duration? = nil, usesIndex: Bool = true, _ body: (SoundCatalog) async throws -> Void
  ) async throws {
    let progress = ProgressPrinter(Console.current)
    var options = opening(progress, wait: wait)
    if !usesIndex { options.indexThreshold = .max }
    let catalog = try await SoundCatalog.openExisting(directory, options: options)
    defer { catalog.close() }
    progress.finish()
    try await body(catalog)
  }

  func opening(
    _ progress: ProgressPrinter, wait: Duration? = nil, clock: CatalogClock = .system
  ) -> SoundCatalog.Options {
    location.opening(progress, wait: wait, clock: clock)
  }
}

/// How long a command waits for another writer.
struct WaitOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "Wait this long for another writer; without it, a locked log is an error at once.",
      valueName: "seconds"))
  var wait: Double?

  init() {}

  func validate() throws {
    if let wait, !(wait >= 0 && wait <= 86_400) {
      throw ValidationError("--wait takes seconds from 0 to 86400, not \(wait)")
    }
  }

  var duration: Duration? {
    wait.map { .milliseconds(Int64($0 * 1_000)) }
  }
}

extension Logger {
  /// Warnings of the library as plain lines for a person.
  fileprivate static func toStandardError(_ console: Console) -> Logger {
    var logger = Logger(label: "catalogctl") { _ in ConsoleLogHandler(console: console) }
    logger.logLevel = .warning
    return logger
  }
}

private struct ConsoleLogHandler: LogHandler {
  let console: Console
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level = .warning

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    console.error("catalogctl: \(event.level): \(event.message)")
  }
}
