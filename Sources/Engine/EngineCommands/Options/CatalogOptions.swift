public import ArgumentParser
public import CatalogEngine
import CatalogModel
import CatalogStore
package import EventLog
import Foundation
import Logging
import Support

/// Which catalog a command works on.
package struct CatalogLocation: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The folder of the catalog.",
      discussion: "Default: $CATALOG_HOME, else the user's data folder.", valueName: "dir"),
    completion: .directory)
  var catalog: String?

  // The program looks for it before a command runs.
  @Flag(
    name: [.customShort("q"), .long],
    help: "Print no counts, notes and progress on standard error; warnings and errors stay.")
  var quiet = false

  @Flag(
    name: .long,
    help: ArgumentHelp(
      "Show nothing if the server of the log cannot be reached.",
      discussion:
        "Without it, what reads shows the rows of the folder, and a warning names their last event."
    ))
  package var strict = false

  package init() {}

  package func validate() throws {
    if catalog == "" { throw ValidationError("--catalog needs a folder") }
  }

  package var directory: CatalogDirectory { get throws { try Self.directory(catalog) } }

  /// As `CatalogOptions.reader`.
  package func reader() throws -> any LogStore {
    let log = try directory.logThatShouldBe()
    if let lost = try LostEvents.find(in: directory, log) { Console.current.warn(ofLost: lost) }
    return log
  }

  /// - Parameter catalog: the folder that was named, if any.
  /// - Throws: `CatalogError` with `directory` where neither an option nor the environment names one.
  static func directory(_ catalog: String?) throws -> CatalogDirectory {
    if let catalog { return CatalogDirectory(catalog) }
    guard
      let directory = CatalogDirectory.standard(
        for: ProgramName.current,
        environment: {
          ProcessInfo.processInfo.environment[$0]
        })
    else {
      throw CatalogError(
        .directory,
        "no folder for the catalog, because HOME is not set; name one with --catalog or CATALOG_HOME"
      )
    }
    return directory
  }

  /// Options for opening a catalog from the command line: a database of another version of the program is rebuilt,
  /// progress is shown.
  func opening(
    _ progress: ProgressPrinter, wait: Duration? = nil, clock: CatalogClock = .system
  ) -> OpeningOptions {
    var options = OpeningOptions(
      stale: .rebuild, wait: wait, clock: clock, logger: .toStandardError(Console.current),
      progress: progress.observer)
    options.needsServer = strict
    return options
  }

  /// Options for a command that only reads: it opens one connection, for which no transaction of another program is in the way.
  func reading(_ progress: ProgressPrinter) -> OpeningOptions {
    var options = opening(progress)
    options.readers = .one
    return options
  }

  /// Opens a catalog that must be there, of whatever kind.
  ///
  /// - Throws: `EventLogError` if the log is damaged and no database says its kind.
  func opened(
    _ options: OpeningOptions
  ) async throws -> OpenedCatalog {
    let directory = try self.directory
    let kinds = KnownKinds.current
    var certain: (any CatalogKind)?
    do {
      certain = try kinds.certainKind(of: directory.store(), besides: directory.database)
    } catch let error as EventLogError where !error.isDamage {
      // Opening says why there is no log, or none that can be read.
    }
    let kind = try certain ?? kinds.kind(of: directory)
    return try await Blocking.run {
      try OpenedCatalog.openExisting(directory, kind, options: options)
    }
  }
}

extension CatalogDirectory {
  /// Returns how far the database goes if the server of the log cannot be reached, and says so on standard error.
  ///
  /// - Parameter isStrict: whether the rows of the database alone are not to be shown.
  /// - Throws: `silence` if so, or if the database cannot tell.
  func applied(without silence: EventLogError, isStrict: Bool) throws -> Checkpoint {
    guard !isStrict, let known = LostEvents.checkpoint(in: self) else { throw silence }
    Console.current.warn(ofSilence: LostEvents.silence(silence, after: known.sequence))
    return known
  }

  /// As `existingLog`; a log that is gone beside a database that has applied events of it is a loss.
  package func logThatShouldBe() throws -> any LogStore {
    do {
      return try existingLog()
    } catch let error as CatalogError where error.code == .noCatalog {
      if let lost = try LostEvents.find(in: self) { throw lost }
      throw error
    }
  }
}

/// What nearly every command takes.
public struct CatalogOptions: ParsableArguments, Sendable {
  @OptionGroup var location: CatalogLocation

  @Option(
    name: .long, help: "Output format; --json is short for json. jsonl and csv are for lists.")
  public var format: OutputFormat = .text

  public init() {}

  public var directory: CatalogDirectory { get throws { try location.directory } }

  /// Whether nothing is shown if the server of the log cannot be reached.
  package var isStrict: Bool { location.strict }

  /// The bytes of the log of a catalog that must be there, to be read without its database. Where it lacks events
  /// that the database has applied, this says so, and the command ends with status 3.
  package func reader() throws -> any LogStore { try location.reader() }

  /// The same with the kind of the catalog, to be replayed.
  ///
  /// If the log's server is away, its kind is that of the database, and reading it says that it is away.
  package func log() throws -> CatalogLog {
    do {
      return try KnownKinds.current.log(reader(), besides: directory.database)
    } catch let error as EventLogError where error.isSilence {
      return try KnownKinds.current.log(directory.store(), besides: directory.database)
    }
  }

  /// Gives the log for questions about the past. If its server is away and the history answers, a warning says so.
  package func pastLog() throws -> CatalogLog {
    guard !isStrict else { return try log() }
    let log = try directory.pastLog(reader, of: .current)
    if let remembered = log.reader as? RememberedLog {
      Console.current.warn(ofSilence: remembered.words)
    }
    return log
  }

  /// The same for a command that writes to the catalog's folder.
  ///
  /// - Throws: `lostEvents` if the log lacks events that the database has applied.
  func wholeLog() throws -> CatalogLog {
    try KnownKinds.current.log(wholeReader(), besides: directory.database)
  }

  /// Its bytes alone, of whatever kind the catalog is.
  func wholeReader() throws -> any LogStore {
    let log = try directory.logThatShouldBe()
    if let lost = try LostEvents.find(in: directory, log) { throw lost }
    return log
  }

  /// The batch at the log's end, if its time is after `time`; nil without a log, or if its end cannot be read, which the
  /// command says itself.
  package func batch(after time: Timestamp) throws -> TimedBatch? {
    let log = try directory.store()
    guard let last = try? TimedBatch.last(in: log), last.time > time else { return nil }
    return last
  }

  /// Opens a catalog of a kind that must be there, shows how far that has come, and closes it afterwards.
  ///
  /// - Throws: `CatalogError` with `wrongKind` if it is a catalog of another kind; what `body` throws.
  public func withCatalog<Kind: CatalogKind>(
    of kind: Kind, _ body: (EventCatalog<Kind>) async throws -> Void
  ) async throws {
    let progress = ProgressPrinter(Console.current)
    let catalog = try await EventCatalog.openExisting(
      directory, kind, options: location.reading(progress))
    defer { catalog.close() }
    progress.finish()
    try await body(catalog)
  }

  /// Opens a catalog of a kind that must be there for a command that changes it, and closes it afterwards. On Ctrl-C the
  /// process ends and says how much of the change is in the log.
  ///
  /// - Parameter endsAtOnce: whether Ctrl-C ends the process; if not, the caller handles it.
  /// - Throws: as `withCatalog`.
  public func changeCatalog<Kind: CatalogKind, Result>(
    of kind: Kind, _ waiting: WaitOptions, clock: CatalogClock = .system, endsAtOnce: Bool = true,
    _ body: (EventCatalog<Kind>) async throws -> Result
  ) async throws -> Result {
    try await changing(waiting, clock: clock, endsAtOnce: endsAtOnce) { opening, progress in
      var opening = opening
      opening.readers = .one
      let catalog = try await EventCatalog.openExisting(directory, kind, options: opening)
      defer { catalog.close() }
      progress.finish()
      return try await body(catalog)
    }
  }

  /// Opens a catalog of a kind for a command that only reads, and closes it afterwards. If another program may have written
  /// to the database, all rows are verified first: the command shows what the log says, or nothing.
  ///
  /// - Throws: as `withCatalog`; `StoreError` with `drifted` if a row is not what the projector wrote.
  public func readCatalog<Kind: CatalogKind>(
    of kind: Kind, _ body: (EventCatalog<Kind>) async throws -> Void
  ) async throws {
    try await withCatalog(of: kind) { catalog in
      try await catalog.verifyIfTouched()
      try await body(catalog)
    }
  }

  /// Opens a catalog that must be there, of whatever kind.
  func opened(_ options: OpeningOptions) async throws -> OpenedCatalog {
    try await location.opened(options)
  }

  /// How a command opens a catalog: a database of another version of the program is rebuilt with a line on standard error,
  /// one that was changed by hand is refused. Warnings and progress go to standard error.
  ///
  /// - Parameter wait: for another writer; nil to fail at once. Most writers have the log for some milliseconds.
  public func opening(
    _ progress: ProgressPrinter, wait: Duration? = WaitOptions.patience,
    clock: CatalogClock = .system
  ) -> OpeningOptions {
    location.opening(progress, wait: wait, clock: clock)
  }
}

/// How long a command waits for another writer: `--wait SECONDS`.
public struct WaitOptions: ParsableArguments, Sendable {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "Wait this many seconds for another writer; 0 fails at once. Default: 5.",
      valueName: "seconds"))
  var wait: Double?

  public init() {}

  /// How long a command waits that does not say.
  public static let patience = Duration.seconds(5)

  public func validate() throws { _ = try Self.duration(wait) }

  /// - Parameter seconds: what the option says.
  /// - Returns: nil if it does not say.
  /// - Throws: `ValidationError` for a number that is out of bounds.
  package static func duration(_ seconds: Double?) throws -> Duration? {
    guard let seconds else { return nil }
    guard seconds >= 0 && seconds <= 86_400 else {
      throw ValidationError("--wait takes seconds from 0 to 86400, not \(seconds)")
    }
    return .milliseconds(Int64(seconds * 1_000))
  }

  /// How long to wait: what the option says, else `patience`.
  public var duration: Duration {
    wait.map { .milliseconds(Int64($0 * 1_000)) } ?? Self.patience
  }
}

extension Logger {
  /// Notices and warnings of the library as plain lines for a person.
  fileprivate static func toStandardError(_ console: Console) -> Logger {
    var logger = Logger(label: "\(ProgramName.current)") { _ in ConsoleLogHandler(console: console)
    }
    logger.logLevel = .notice
    return logger
  }
}

private struct ConsoleLogHandler: LogHandler {
  let console: Console
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level = .notice

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    console.error("\(ProgramName.current): \(event.level): \(event.message)")
  }
}
