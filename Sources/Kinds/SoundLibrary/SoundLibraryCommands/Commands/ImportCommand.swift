import ArgumentParser
import CatalogEngine
import CatalogModel
import EngineCommands
import SoundLibrary
import Synchronization

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import seed documents.",
    discussion: """
      Only what differs from the catalog is appended to the log; importing the same document again appends \
      nothing. If anything in a document is wrong, the whole document is refused, and all faults are listed. \
      docs/SEEDS.md describes every key.
      """.showing(
        "A small seed, seed.json:",
        """
        {
          "format": 1, "seedId": "harbour", "revision": 1,
          "dimensions": { "moods": ["Cozy", "Ominous"] },
          "packs": [{
            "id": "3f2a8c10-5b1e-4d7a-9c33-0a1b2c3d4e02", "kind": "sfx",
            "title": "Creatures", "version": 1,
            "manifestUrl": "https://example.com/creatures.json",
            "items": [{
              "id": "3f2a8c10-5b1e-4d7a-9c33-0a1b2c3d4e03",
              "title": "Groan", "tags": { "moods": ["Ominous"] }
            }]
          }]
        }
        """
      ).examples(
        "catalogctl import Seeds/starter.json",
        "catalogctl import --dry-run seed.json"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions

  @Flag(
    name: .long,
    help: "Show what would be appended, and append nothing; exit status 2 if there is anything.")
  var dryRun = false

  @Flag(name: .long, help: "Hide pack items of the seed that the document no longer lists.")
  var retireMissing = false

  @Flag(name: .long, help: "Restore what a revert took of the documents.")
  var takeReverted = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The time of the new events, ISO 8601; default now.", valueName: "time"))
  var at: String?

  @Argument(help: "Seed documents, format 1.", completion: .file(extensions: ["json"]))
  var files: [String]

  func validate() throws {
    if let at, Timestamp.typed(at) == nil {
      throw ValidationError(
        "--at takes an ISO 8601 time such as 2026-01-31T12:00:00Z, not \"\(at)\"")
    }
  }

  func run() async throws {
    let clock = at.flatMap { Timestamp.typed($0) }.map { CatalogClock.fixed($0) } ?? .system
    let reversed = try at.flatMap { Timestamp.typed($0) }.flatMap { try options.batch(after: $0) }
    let (format, console, done) = (options.format, Console.current, DoneImports())
    let interrupted: @Sendable () -> Void = { if format == .json { try? done.write(to: console) } }
    do {
      try await options.changing(waiting, clock: clock, interrupted: interrupted) {
        opening, progress in
        for file in files {
          opening.appends?.begin()
          let report = try await report(on: file, SoundCatalog.Options(opening))
          progress.finish()
          done.add(report)
          if format == .text { write(report, file, to: console) }
        }
      }
    } catch {
      // What was imported before stays: its report must not be lost.
      if format == .json { try done.write(to: console) }
      throw error
    }
    if format == .json { try done.write(to: console) }
    if let reversed, let at, done.containChange {
      console.error(
        "\(ProgramName.current): warning: --at \(at) is before \(reversed.time), the time of \(reversed.events) at the "
          + "log's end: times go back there, and a moment that is named by a time can mean a state with later events"
      )
    }
    if done.contain(.appended) { throw Exit(status: .error) }
    if done.contain(.planned) { throw Exit(status: .findings) }
  }

  private func report(
    on file: String, _ opening: SoundCatalog.Options
  ) async throws -> ImportReport {
    dryRun
      ? try await SeedImporter.plan(
        .file(file), in: options.directory, options: opening, retiresMissing: retireMissing,
        takesReverted: takeReverted)
      : try await SeedImporter.apply(
        .file(file), to: options.directory, options: opening, retiresMissing: retireMissing,
        takesReverted: takeReverted)
  }

  private func write(_ report: ImportReport, _ file: String, to console: Console) {
    let seed = "\(file): seed \"\(report.seedID)\", revision \(report.revision)"
    console.write(report.outcome, of: seed, types: report.events)
    console.write(changesOf: report.summary)
    console.write(report.reverted, differing: report.differing)
    if let chain = report.chain {
      console.write("head \(report.sequence) \(chain)")
    }
  }
}

/// The reports of the documents that are done.
private final class DoneImports: Sendable {
  private let reports = Mutex<[ImportReport]>([])

  func add(_ report: ImportReport) {
    reports.withLock { $0.append(report) }
  }

  func contain(_ outcome: ImportReport.Outcome) -> Bool {
    reports.withLock { $0.contains { $0.outcome == outcome } }
  }

  /// Whether one of them appended something, or would have.
  var containChange: Bool { reports.withLock { $0.contains { $0.outcome != .unchanged } } }

  /// Writes them as JSON, if there are any.
  func write(to console: Console) throws {
    let reports = reports.withLock { $0 }.map(\.json)
    if !reports.isEmpty { try console.write(json: reports) }
  }
}

extension ImportReport {
  fileprivate var json: JSONObject {
    [
      "seedId": seedID, "revision": revision, "outcome": outcome.rawValue, "events": eventCount,
      "differing": differing, "tables": summary?.json,
      "types": Dictionary(uniqueKeysWithValues: events.map { ($0.type, $0.count) }),
      "sequence": sequence, "chain": chain,
    ]
  }
}
