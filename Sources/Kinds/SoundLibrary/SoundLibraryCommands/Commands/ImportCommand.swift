import ArgumentParser
import CatalogEngine
import CatalogModel
import EngineCommands
import Foundation
import SoundLibrary
import Synchronization

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import seed documents.",
    discussion: """
      Only what differs from the catalog is appended to the log; importing the same document again appends \
      nothing. If anything in a document is wrong, nothing is imported, and all faults are listed. Each document is an \
      operation of its own, in the order in which they are named. docs/SEEDS.md describes every key.
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
        "\(ProgramName.current) import Seeds/starter.json",
        "\(ProgramName.current) import --dry-run seed.json",
        "\(ProgramName.current) import seed.json.gz"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions

  @OptionGroup var trial: DryRunArguments
  @OptionGroup var reverted: RevertedArguments

  @Flag(name: .long, help: "Hide pack items of the seed that the document no longer lists.")
  var retireMissing = false

  @OptionGroup var time: EventTimeArguments

  @Argument(
    help: "Seed documents, format 1, plain or compressed by gzip or zstd; - is standard input.",
    completion: .file(extensions: ["json", "gz", "zst"]))
  var files: [String]

  func validate() throws {
    guard files.count(where: { $0 == "-" }) < 2 else {
      throw ValidationError("standard input is one document: write - once")
    }
  }

  func run() async throws {
    let warning = try time.warning(about: options)
    let sources = try files.map(Self.source)
    let (format, console, done) = (options.format, Console.current, DoneImports())
    let interrupted: @Sendable () -> Void = { if format == .json { try? done.write(to: console) } }
    do {
      try await options.changing(waiting, clock: time.clock, interrupted: interrupted) {
        opening, progress in
        let opening = SoundLibrary.Options(opening)
        let report: @Sendable (SeedImportReport) -> Void = { report in
          progress.finish()
          done.add(report)
          if format == .text { Self.write(report, to: console) }
        }
        if trial.dryRun {
          return try await SeedImporter.plan(
            sources, in: options.directory, options: opening,
            retiresMissing: retireMissing, takesReverted: reverted.takeReverted, report: report)
        }
        try await SeedImporter.apply(
          sources, to: options.directory, options: opening, retiresMissing: retireMissing,
          takesReverted: reverted.takeReverted, report: report)
      }
    } catch let error as DocumentError where error.code == .invalidJSON && error.offset == 0 {
      var error = error
      error.advice = error.advice ?? "this is not JSON; import takes seed documents (docs/SEEDS.md)"
      throw error
    } catch let error as DocumentError where error.code == .fileMissing {
      throw Self.explained(missing: error)
    } catch let error as DocumentError {
      throw error
    } catch {
      // What was imported before the disk was full, say, stays: its report must not be lost.
      if format == .json { try done.write(to: console) }
      throw error
    }
    if format == .json { try done.write(to: console) }
    if let warning, done.containChange { console.error(warning) }
    if done.contain(.appended) { throw Exit(status: .error) }
    if done.contain(.planned) { throw Exit(status: .findings) }
  }

  private static func source(_ file: String) throws -> SeedSource {
    guard file == "-" else { return .file(file) }
    return .bytes(try DocumentFile.loadStandardInput(), name: DocumentFile.standardInputName)
  }

  /// Says what `NAME=FILE` is, if that is what has no file of its name.
  private static func explained(missing error: DocumentError) -> DocumentError {
    var error = error
    guard error.file.contains("=") else { return error }
    let table = ShellWord.quoted(error.file)
    let file = error.file.split(separator: "=", maxSplits: 1).last.map(String.init) ?? ""
    guard !FileManager.default.fileExists(atPath: file) else {
      error.message = "NAME=FILE names a table, and here is no catalog of tables"
      error.advice =
        "`\(ProgramName.current) init --table \(table)` makes one; --catalog or CATALOG_HOME names another folder"
      return error
    }
    error.message = "no file has this name"
    error.advice =
      "NAME=FILE is a table: `\(ProgramName.current) init --table \(table)` makes a catalog for it, and `import \(table)` reads "
      + "it there"
    return error
  }

  private static func write(_ report: SeedImportReport, to console: Console) {
    let seed = report.documents[0]
    console.write(
      report, of: "\(seed.path): seed \"\(seed.seedID)\", revision \(seed.revision)",
      unless: seed.newerRevision.map {
        "it cannot be taken, as the catalog has revision \($0), which is newer"
      })
    if let sequence = report.sequence, let chain = report.chain {
      console.write("head \(sequence) \(chain)")
    }
  }
}

/// The reports of the documents that are done.
private final class DoneImports: Sendable {
  private let reports = Mutex<[SeedImportReport]>([])

  func add(_ report: SeedImportReport) {
    reports.withLock { $0.append(report) }
  }

  func contain(_ outcome: ImportOutcome) -> Bool {
    reports.withLock { $0.contains { $0.outcome == outcome } }
  }

  /// Whether one of them appended something, or would have.
  var containChange: Bool { reports.withLock { $0.contains { $0.outcome != .unchanged } } }

  /// Writes them as JSON, if there are any.
  func write(to console: Console) throws {
    let reports = reports.withLock { $0 }
    guard !reports.isEmpty else { return }
    try console.write(
      json: ImportReport.json(ofBatches: reports) { seed in
        [
          "path": seed.path, "seedId": seed.seedID, "revision": seed.revision,
          "newerRevision": seed.newerRevision,
        ]
      })
  }
}
