import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import DescribedTables
import EngineCommands
import EventLog

/// Captures a database whenever it has changed, until the process is asked to end.
struct CaptureLoop {
  /// Whether the state that was seen last is in the catalog.
  private(set) var isCaughtUp = false
  private let file: String
  /// The time between two looks.
  private let interval: Duration
  /// The files as they were before the last capture that came to an end; nil if there was none.
  private var seen: DatabaseStamp?
  /// The last failure that was reported.
  private var reported: String?
  /// The time since which the database could not be copied because its program writes.
  private var busySince: ContinuousClock.Instant?

  /// The time between two looks at a database that is watched. Each takes four calls of the system.
  private static let watching = Duration.milliseconds(250)
  /// A capture that failed because of the catalog, as when another writer has its log, is tried again after this time.
  private static let pause = Duration.seconds(5)
  /// The time after which a database that always changes is reported.
  private static let patience = Duration.seconds(60)

  /// - Parameter every: the time between two captures; nil to follow the database.
  init(_ file: String, every: Duration?) {
    self.file = file
    interval = every ?? Self.watching
  }

  /// - Parameters:
  ///   - capture: takes the database as it is.
  ///   - write: prints what a batch has.
  /// - Throws: an error after which no further capture can succeed, and what `write` throws.
  mutating func run(
    capture: () async throws -> TableImportReport, write: (TableImportReport) throws -> Void
  ) async throws {
    // The batch under way is completed before the process ends.
    let interruption = Interruption {}
    defer { interruption.end() }
    var isFirst = true
    while !interruption.wasAsked {
      var pause = interval
      let stamp = DatabaseStamp.now(of: file)
      if stamp == nil || stamp != seen {
        do {
          let report = try await capture()
          try finish(report, write)
          seen = stamp
        } catch let error where Self.isFinal(error, isFirst) {
          throw error
        } catch let error {
          isCaughtUp = false
          if SourceFile.isChanging(error) {
            reportBusy(error)
          } else {
            report(error)
            if Self.isAboutState(error) { seen = stamp } else { pause = max(pause, Self.pause) }
          }
        }
      }
      isFirst = false
      try await interruption.sleep(until: .now + pause)
    }
    // The program may have written since the last look, and another command may have taken what was refused.
    guard !isCaughtUp || DatabaseStamp.now(of: file) != seen else { return }
    do {
      try finish(try await capture(), write)
    } catch {
      isCaughtUp = false
      report(error)
    }
  }

  /// Notes that a state is in the catalog, and prints its batch.
  private mutating func finish(
    _ report: TableImportReport, _ write: (TableImportReport) throws -> Void
  ) throws {
    (busySince, reported) = (nil, nil)
    isCaughtUp = [.imported, .unchanged].contains(report.outcome)
    if report.outcome != .unchanged { try write(report) }
  }

  /// Reports a failure, unless it was the last one, too.
  private mutating func report(_ error: any Error) {
    let lines = (error as? DocumentError)?.lines ?? ["\(error)"]
    let message = lines.joined(separator: "; ")
    guard message != reported else { return }
    reported = message
    Console.current.error("\(ProgramName.current): \(message)")
  }

  private mutating func reportBusy(_ error: any Error) {
    let start = busySince ?? .now
    busySince = start
    if ContinuousClock.now - start > Self.patience { report(error) }
  }

  /// Whether a state is refused whatever happens, until it changes. A fault of the catalog can pass.
  private static func isAboutState(_ error: any Error) -> Bool {
    switch error {
    case is DocumentError, is DescriptionRefusal, is ProjectionError: true
    case let error as CatalogError: [.changeRefused, .sqlRefused].contains(error.code)
    default: false
    }
  }

  /// Whether no other state of the database can help. What is wrong with the file at the beginning, a person has to see at once.
  private static func isFinal(_ error: any Error, _ isFirst: Bool) -> Bool {
    switch error {
    case is ValidationError, is Exit: true
    case let error as EventLogError: error.isDamage || error.code == .lostEvents
    case let error as CatalogError:
      [.noCatalog, .wrongKind, .unknownKind].contains(error.code)
    case let error as DocumentError:
      isFirst
        && [.fileMissing, .fileIsDirectory, .fileNotRegular, .unsupportedFormat].contains(
          error.code)
    default: false
    }
  }
}
