import ArgumentParser
import CatalogEngine
import ConcertArchive
import EngineCommands
import Foundation

struct ShowsImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import a package of metadata.",
    discussion: """
      A package is a folder with manifest.json, collections.json, shows/*.json and recordings/*.json. Only what \
      differs from the archive is appended to the log; importing the same package again appends nothing. The library, \
      notes and plays stay. If anything in a package is wrong, all of it is refused, and all faults are listed; so is a \
      package that is older than the one that was imported last, by its version or by the time of its build. \
      docs/SEEDS.md describes every key.
      """.showing(
        "A small manifest.json:",
        """
        { "package": { "name": "Lantern Keepers Metadata", "version": "1.0.0" } }
        """
      ).showing(
        "A small collections.json:",
        """
        { "collections": [] }
        """
      ).showing(
        "A small shows/1977-05-08-lantern-hall.json:",
        """
        {
          "show_id": "1977-05-08-lantern-hall", "date": "1977-05-08",
          "band": "The Lantern Keepers", "venue": "Lantern Hall",
          "recordings": ["lk1977-05-08.sbd"]
        }
        """
      ).showing(
        "A small recordings/lk1977-05-08.sbd.json:",
        """
        { "source_type": "SBD", "rating": 4.5, "review_count": 12 }
        """
      ).examples(
        "\(ProgramName.current) shows import data-v2.0.2",
        "\(ProgramName.current) shows import data-v2.1.2 --dry-run"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions

  @OptionGroup var trial: DryRunArguments
  @OptionGroup var reverted: RevertedArguments

  @Flag(
    name: .long,
    help: "Remove shows that the package lacks, also from the library. Default: they stay.")
  var removeShows = false

  @Flag(name: .long, help: "Import a package that is older than the one that was imported last.")
  var force = false

  @OptionGroup var time: EventTimeArguments

  @Argument(
    help: ArgumentHelp("The folder of the package.", valueName: "dir"), completion: .directory)
  var package: String

  func run() async throws {
    let warning = try time.warning(about: options)
    let report = try await options.changing(waiting, clock: time.clock) { opening, _ in
      let observe: @Sendable (Int, Int) -> Void = { done, total in
        opening.progress(CatalogProgress(phase: .reading, done: done, total: total))
      }
      return trial.dryRun
        ? try await PackageImporter.plan(
          package, in: options.directory, options: opening, removesShows: removeShows,
          takesReverted: reverted.takeReverted, progress: observe)
        : try await importing(opening, observe)
    }
    try Console.current.write(options.format, json: report.json(of: package)) {
      $0.write(report, package, isForced: force)
    }
    let saved = "\(package)/saved-shows.json"
    if FileManager.default.fileExists(atPath: saved) {
      Console.current.error(
        "\(saved) is not imported with the package: `\(ProgramName.current) shows restore \(ShellWord.quoted(saved))` adds its shows to the library"
      )
    }
    if let warning, [.imported, .appended].contains(report.outcome) {
      Console.current.error(warning)
    }
    try report.outcome.throwExitStatus()
  }
}

extension ShowsImportCommand {
  private func importing(
    _ opening: OpeningOptions, _ observe: @escaping @Sendable (Int, Int) -> Void
  ) async throws -> PackageImportReport {
    do {
      return try await PackageImporter.apply(
        package, to: options.directory, options: opening, removesShows: removeShows,
        takesReverted: reverted.takeReverted, allowsOlder: force, progress: observe)
    } catch let older as OlderPackage {
      throw Refusal("\(package): \(older); nothing was appended; --force imports it")
    }
  }
}

extension Console {
  fileprivate func write(_ report: PackageImportReport, _ path: String, isForced: Bool) {
    let package = report.package
    write(
      "\(path): \(package.packageName) \(package.version): "
        + "\(Count.of(package.counts.shows, "show")), "
        + "\(Count.of(package.counts.recordings, "recording")), "
        + "\(Count.of(package.counts.collections, "collection")), "
        + "\(Count.grouped(package.unlisted.count)) unlisted")
    write(
      report.report,
      unless: report.older.map {
        "--take-reverted takes it only with --force, as the archive has \($0.archiveVersion), which is newer"
      })
    writeLosses(report)
    if let older = report.older, report.outcome == .planned, !isForced {
      error("\(older); the import needs --force")
    }
    if report.keptShows > 0 {
      error(
        "\(Count.of(report.keptShows, "show")) of the archive not in the package: kept; "
          + "--remove-shows removes them")
    }
    for show in report.lostFromLibrary {
      error(
        report.outcome == .planned
          ? "\(show) would also leave the library" : "\(show) also left the library")
    }
  }

  /// Names the collections that go, and those that get smaller.
  private func writeLosses(_ report: PackageImportReport) {
    let removed = report.lostCollections.filter(\.isRemoved)
    let smaller = report.lostCollections.filter { !$0.isRemoved }
    guard !report.lostCollections.isEmpty else { return }
    let verbs =
      report.outcome == .planned ? ("would be removed", "would lose") : ("removed", "lost")
    var parts: [String] = []
    if !removed.isEmpty { parts.append("\(Count.of(removed.count, "collection")) \(verbs.0)") }
    if !smaller.isEmpty {
      parts.append("\(Count.of(smaller.count, "collection")) \(verbs.1) shows")
    }
    write(
      parts.joined(separator: ", ") + ": \(Count.grouped(report.lostMemberships)) of "
        + Count.of(report.memberships, "membership"))
    for lost in removed {
      write("  - \(lost.id)  \(lost.name), \(Count.of(lost.shows, "show"))")
    }
    for lost in smaller {
      write(
        "  ~ \(lost.id)  \(lost.name), \(Count.grouped(lost.lostShows)) of "
          + Count.of(lost.shows, "show"))
    }
  }
}

extension PackageImportReport {
  fileprivate func json(of path: String) -> JSONObject {
    report.json([
      "keptShows": keptShows, "lostFromLibrary": lostFromLibrary,
      "lostCollections": lostCollections.map(\.json), "memberships": memberships,
      "lostMemberships": lostMemberships, "newerVersion": older?.archiveVersion,
    ]) { package in
      [
        "path": path, "package": package.packageName, "version": package.version,
        "sha256": package.sha256, "shows": package.counts.shows,
        "recordings": package.counts.recordings, "collections": package.counts.collections,
        "unlisted": package.unlisted.count,
      ]
    }
  }
}

extension LostCollection {
  fileprivate var json: JSONObject {
    ["id": id, "name": name, "shows": shows, "lostShows": lostShows, "isRemoved": isRemoved]
  }
}
