package import ArgumentParser
package import CatalogEngine
import CatalogModel
import CatalogStore
import Dispatch
package import EventLog
import LibC
import Logging
import Support

extension Moment {
  /// Reads what a person types as an option or an argument.
  package static func typed(_ text: String) throws -> Moment {
    guard let moment = Moment(text) else {
      let fault = Moment.advice(onDay: text) ?? "\"\(text)\" is not a moment"
      throw ValidationError("\(fault); name \(forms)")
    }
    return moment
  }
}

/// Where history is read from: a catalog, or a copied folder of events without any database.
package struct HistoryOptions: ParsableArguments {
  @OptionGroup package var options: CatalogOptions

  @Option(name: .long, help: Self.eventsHelp, completion: .directory)
  var events: String?

  static let eventsHelp = ArgumentHelp(
    "Read a folder of events without a database, or the address of a log in PostgreSQL.",
    valueName: "log")

  @Flag(
    name: .long,
    help: ArgumentHelp(
      "Neither make nor use the catalog's history: replay the log, or make a history for this command alone."
    ))
  var noHistory = false

  package init() {}

  static let moments = """
    A moment is live (the database as it is), or a point of the log: \(points)
    """

  /// For commands that read the log alone.
  package static let pastMoments = """
    A moment is \(points)
    """

  private static let points = """
    a sequence (the state after the batch that holds it), head or head~3 (three batches before it), an operation by its first \
    four characters or more, a time such as 2026-01-31T12:00Z (the state after the last batch of the log, in the log's order, \
    that is not later), a date (the state at its end), yesterday, or -7d. Times and days are in UTC.
    """

  /// The folder of segments.
  ///
  /// - Throws: `CatalogError` with `directory` if the log is not in a folder.
  var folder: String {
    get throws {
      let address =
        try events.map { SharedLogs.isAddress($0) ? $0 : nil }
        ?? options.directory.logAddress()?.description
      if let address {
        throw CatalogError(
          .directory,
          "\(address) is not a folder of segments; copy the log to a folder first: \(ProgramName.current) copy"
        )
      }
      return try events ?? options.directory.events
    }
  }

  /// The log, if a server or a store of the program has it; nil if it is in a folder.
  var serverLog: BatchStoreLog? {
    get throws { try store() as? BatchStoreLog }
  }

  /// The log as it is, damaged or not.
  func store() throws -> any LogStore {
    try events.map(Self.store) ?? options.directory.store()
  }

  /// The log in a folder of segments, or at an address.
  static func store(ofEvents events: String) throws -> any LogStore {
    guard SharedLogs.isAddress(events) else { return EventLogReader(directory: events) }
    return try SharedLogAddress(events).store()
  }

  /// The files and folders that are read, beside which nothing is made.
  package var places: CatalogPlaces {
    get throws {
      try events.map(CatalogPlaces.init(ofEvents:)) ?? CatalogPlaces(of: options.directory)
    }
  }

  /// The log with the kind of the catalog, to be replayed.
  package func log() throws -> CatalogLog {
    guard events == nil else { return try KnownKinds.current.log(reader(), besides: nil) }
    return try options.log()
  }

  /// Its bytes alone, of whatever kind the catalog is.
  package func reader() throws -> any LogStore {
    try events.map(Self.reader) ?? options.reader()
  }

  /// The bytes of a folder of events without a database.
  static func reader(ofEvents events: String) throws -> any LogStore {
    let log = try store(ofEvents: events)
    guard try log.head() != nil else {
      let inner = "\(events)/events"
      var advice = ""
      if SharedLogs.isAddress(events) {
        if let others = try SharedLogAddress(events).neighbours() { advice = "; \(others)" }
      } else if CatalogDirectory.isFolderOfSegments(inner) {
        advice = "; \(inner) has one: name that, or the folder with --catalog"
      }
      throw CatalogError(.noCatalog, "there is no event log in \(events)\(advice)")
    }
    // Without a database nothing else would notice that a copy was cut short.
    if let torn = try (log as? EventLogReader)?.tornTail() {
      Console.current.error(
        "\(ProgramName.current): warning: \(torn) are not read; where this is a copy, it may have been cut short"
      )
    }
    return log
  }

  /// The path of the live database; nil if there is only a log.
  package var live: String? {
    get throws { try events == nil ? options.directory.path + "/catalog.sqlite" : nil }
  }

  /// Opens the catalog, if there is one, so that its database has all events of the log, and proves its rows if another program may
  /// have written to them. If a server does not answer, `database` says so.
  ///
  /// - Returns: the live database; the log's head if there is only a log, or if the database lacks events and cannot get them, since its
  ///   folder cannot be written or the disk is full.
  /// - Throws: `StoreError` with `drifted` if rows were changed by hand.
  package func newest(_ progress: ProgressPrinter) async throws -> Moment {
    guard events == nil else { return try latest() }
    var opening = options.location.reading(progress)
    (opening.tellsSilence, opening.replaysIntoTemporary) = (false, false)
    let obstacle: String
    do {
      let catalog = try await options.location.opened(opening)
      defer { catalog.close() }
      try await catalog.verifyIfTouched()
      return .live
    } catch let error as CatalogError where error.code == .readOnly {
      obstacle = "which cannot be written"
    } catch let error as StoreError where error.code == .volume {
      obstacle = "since the disk is full"
    }
    let path = try options.directory.path
    opening.logger.notice(
      "the database cannot be brought up to date in \(path), \(obstacle): the log is replayed into a temporary one"
    )
    return try reader().requireEvents().head.moment
  }

  /// The live database as it is; the log's head if there is only a log, or if the database has rows of events that the log lacks: what
  /// is shown then is of the events that are left.
  package func latest() throws -> Moment {
    if events == nil {
      guard let lost = try? LostEvents.find(in: options.directory), lost.sequence != nil else {
        return .live
      }
    }
    return try reader().head()?.moment ?? .live
  }

  /// The states of the past; with a catalog out of its history.
  ///
  /// - Parameters:
  ///   - limit: when their replays stop; nil if never.
  ///   - isGrowing: whether each question asks for the end of the log anew; else a server is asked once.
  package func states(
    _ progress: ProgressPrinter, until limit: TimeLimit? = nil, isGrowing: Bool = false
  ) throws -> PastStates {
    var log = try events == nil && !noHistory && !isGrowing ? options.pastLog() : log()
    if isGrowing { log = CatalogLog(try store(), log.kind) }
    log.limit = limit
    let console = Console.current
    let isOfCatalog = events == nil
    return try PastStates(
      log,
      history: isOfCatalog && !noHistory
        ? CatalogHistory(options.directory, log, progress: progress.observer) : nil,
      progress: progress.observer, note: { console.write($0) })
  }

  package func database(
    _ moment: Moment, _ progress: ProgressPrinter, until limit: TimeLimit? = nil
  ) throws -> PastDatabase {
    if case .live = moment {
      do {
        try warnOfStandingOfLive()
      } catch let error as EventLogError where error.isSilence {
        _ = try options.directory.applied(without: error, isStrict: options.isStrict)
        return try PastDatabase(file: options.directory.database)
      } catch let error as EventLogError where error.isDamage && events == nil {
        // What the database has is all that may be left of the events.
        Console.current.warn(ofDamage: error)
        return try PastDatabase(file: options.directory.database)
      }
    }
    return try PastDatabase(moment, of: states(progress, until: limit), live: live)
  }

  /// A moment as some states of the log have it.
  package func database(
    _ moment: Moment, of states: PastStates, _ progress: ProgressPrinter
  ) throws -> PastDatabase {
    guard moment != .live else { return try database(moment, progress) }
    return try PastDatabase(moment, of: states, live: live)
  }

  /// Says that the live database, which is shown as it is, lacks events of the log, or has the rows of another version of
  /// the program.
  private func warnOfStandingOfLive() throws {
    guard let path = try live, let witnesses = HeadEvidence.peek(path) else { return }
    let log = try log()
    switch try ProjectionStanding(witnesses, in: log.reader, for: log.kind.fingerprint) {
    case .stale(let checkpoint):
      let origin =
        log.kind.isEarlier(checkpoint.fingerprint)
        ? "this database was made for an earlier description of the tables"
        : "another version of the program made this database, and its rows may differ"
      warn(
        "\(origin); the next command that opens the "
          + "catalog rebuilds it, or `\(ProgramName.current) rebuild` does now")
    case .within(let checkpoint):
      let head = try log.head()?.sequence ?? 0
      guard checkpoint.sequence < head else { return }
      warn(
        "the database lacks \(Count.of(head - checkpoint.sequence, "event")) of the log, and shows the rows after event "
          + "\(checkpoint.sequence) of \(head); the next command that opens the catalog applies them"
      )
    case .untouched, .unmarked, .withoutLog, .edited, .ahead: return
    }
  }

  private func warn(_ words: String) {
    Console.current.error("\(ProgramName.current): warning: \(words)")
  }
}

extension CatalogOptions {
  /// The states of the past, out of the catalog's history, which is made if there is none.
  package func states(_ progress: ProgressPrinter) throws -> PastStates {
    let log = try pastLog()
    let console = Console.current
    return try PastStates(
      log, history: CatalogHistory(directory, log, progress: progress.observer),
      progress: progress.observer, note: { console.write($0) })
  }
}

extension Console {
  /// Says on standard error that the history was made, or why it is not used.
  func write(_ note: HistoryNote) {
    switch note {
    case .made(let path, let bytes, let duration, let reason):
      let again = reason.map { " again, because \($0)" } ?? ""
      self.note(
        "\(ProgramName.current): \(path) was made\(again): \(Count.bytes(bytes)) in \(Self.seconds(duration)); it "
          + "answers questions about the past")
    case .madeForOnce(let bytes, let duration):
      self.note(
        "\(ProgramName.current): a history was made for this command alone: \(Count.bytes(bytes)) in "
          + Self.seconds(duration))
    case .unused(let reason):
      error(
        "\(ProgramName.current): the history is not used, and the log is replayed: \(reason)")
    }
  }

  private static func seconds(_ duration: Duration) -> String {
    let tenths = Int(duration / .milliseconds(100))
    return "\(tenths / 10).\(tenths % 10) s"
  }

  /// Says on standard error which state is shown for a moment that a person named.
  ///
  /// - Parameters:
  ///   - side: what the moment is of, if there are two.
  ///   - format: JSON that names the sequence needs the warning alone.
  package func write(
    _ moment: FoundMoment?, as side: String? = nil, besides format: OutputFormat = .text
  ) {
    let side = side.map { "\($0): " } ?? ""
    if format == .text, let words = moment?.words { note(side + words) }
    if let warning = moment?.warning { error(side + warning) }
  }
}

/// How long a command that runs a statement may take.
struct TimeLimitOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp("Stop the command after this many seconds.", valueName: "seconds"))
  var timeout: Double?

  package init() {}

  package func validate() throws {
    if let timeout, !(timeout > 0 && timeout <= 86_400) {
      throw ValidationError(
        "--timeout takes seconds, more than 0 and at most 86400, not \(timeout)")
    }
  }

  /// How long after the limit a command ends whatever it does: one call of an SQL function cannot be interrupted.
  private static let grace = Duration.seconds(1)

  /// Runs the work with the limit, which it checks.
  ///
  /// The process ends with status 1 if the work does not stop in time: nothing that it has open is written to.
  func bounding<Result>(
    _ work: (TimeLimit?) async throws -> Result
  ) async throws -> Result {
    guard let timeout else { return try await work(nil) }
    let duration = Duration.milliseconds(Int64((timeout * 1_000).rounded(.up)))
    let (console, program) = (Console.current, ProgramName.current)
    let alarm = DispatchWorkItem {
      console.failure("\(program): the command took longer than --timeout and was ended")
      _exit(ExitStatus.error.rawValue)
    }
    if console.isOfProcess {
      DispatchQueue.global().asyncAfter(
        deadline: .now() + .milliseconds(Int((duration + Self.grace) / .milliseconds(1))),
        execute: alarm)
    }
    defer { alarm.cancel() }
    return try await work(TimeLimit(duration))
  }
}

extension LogHead {
  fileprivate var moment: Moment { .sequence(sequence) }
}
