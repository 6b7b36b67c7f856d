import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import Foundation
import Projections
import Support

struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Replay the log twice, and compare the results and the live database.",
    discussion: """
      The replays run in two processes that differ in method, hash seed, locale and time zone. One applies \
      all events in memory and writes pages. The other switches to row-by-row updates: for a log of up to \
      100,000 events from the start, for a longer one for the last 50,000. SQLite checks the live database \
      at the same time. If anything differs, the exit status is 2, and the output has table, key, column, \
      both values and the event that wrote the row.

      With --thorough, the second replay applies every event row by row. In catalogs with more than 20,000 \
      items, indexes are checked completely, not sampled.

      With --quick, nothing is replayed: one scan compares schema and rows of the live database with the \
      running digests that every change updates. This finds changed tables and rows, unless their digests were \
      changed with them. It does not compare indexes with their tables (`doctor` does) or the words of \
      full-text indexes, and cannot find errors of the projector.

      With --history, one replay makes every version of every row again, and every receipt, and compares them with \
      history.sqlite and with the live rows.

      An event that contradicts earlier ones changes nothing, in any replay. Such conflicts are listed; they \
      are not differences. Rows of an earlier log that refer to rows which do not exist are listed in the same way.

      With --receipt, the live database is also compared with a committed receipt, and each difference is \
      attributed to the log, the projector, the schema, the content or the times. With --content only the \
      timeless part counts, to compare a fresh import.
      """.examples(
        "\(ProgramName.current) verify",
        "\(ProgramName.current) verify --quick",
        "\(ProgramName.current) verify --thorough",
        "\(ProgramName.current) verify --history",
        "\(ProgramName.current) verify --receipt catalog.receipt.json --content --format github"))

  @OptionGroup var location: CatalogLocation

  @Option(name: .long, help: "Output format; github: annotations of a GitHub workflow.")
  var format: FindingsFormat = .text

  @Option(
    name: .long,
    help: ArgumentHelp("Also compare with this receipt.", valueName: "file"), completion: .file())
  var receipt: String?

  @Flag(name: .long, help: "Only compare with the running digests: one scan, no replay.")
  var quick = false

  @Flag(name: .long, help: "Apply every event row by row.")
  var thorough = false

  @Flag(name: .long, help: "Only compare the history with the log, and with the live rows.")
  var history = false

  @Flag(name: .long, help: "Compare only projector, schema and content of the receipt.")
  var content = false

  @Option(
    name: .long, help: ArgumentHelp("List at most this many rows of each table.", valueName: "n"))
  var rows: Int = 100

  func validate() throws {
    try OptionBounds.requireCount(rows, "--rows")
    if quick, receipt != nil {
      throw ValidationError("--quick cannot compare with a receipt; leave one of the two out")
    }
    if quick, thorough {
      throw ValidationError("--quick and --thorough cannot be combined")
    }
    if history, quick || thorough || receipt != nil {
      throw ValidationError(
        "--history compares the history alone; leave --quick, --thorough and --receipt out")
    }
    if content, receipt == nil { throw ValidationError("--content needs --receipt") }
  }

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    let recorded = try receipt.map(RecordedReceipt.load)
    let catalog = try await location.opened(location.opening(progress))
    defer { catalog.close() }
    try catalog.requireOwnDatabase()
    progress.finish()
    if quick { return try await verifyQuickly(catalog, to: console) }
    if history { return try await verifyHistory(catalog, progress, to: console) }

    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let directory = try location.directory.path
    let report = try await Verification(
      catalog, isThorough: thorough, rowLimit: rows, progress: progress.observer
    ).run { [thorough] sequence in
      let replays = try ReplayProcesses(
        catalog: directory, through: sequence, isThorough: thorough, in: folder.path)
      return {
        defer { progress.finish() }
        return try replays.finish(
          { console.error(verbatim: $0) }, progress: progress.observer)
      }
    }
    let against = recorded?.differences(from: report.live, contentOnly: content) ?? []

    switch format {
    case .text: write(report, against, to: console)
    case .json: try console.write(json: VerifyJSON(report, against, isThorough: thorough))
    case .github: annotate(report, against, to: console)
    }
    if !report.findings.isEmpty || !against.isEmpty { throw Exit(status: .findings) }
  }

  private func verifyQuickly(_ catalog: OpenedCatalog, to console: Console) async throws {
    let report = try await QuickVerification(catalog).run()
    let count = Count.of(report.findings.count, "difference")
    let verdict =
      report.findings.isEmpty
      ? "verified quickly: the live database matches its running digests: "
        + "\(Count.of(report.checkpoint.sequence, "event")), "
        + "\(Count.of(report.tables, "table")), \(Count.of(Int(report.rows), "row"))"
      : "\(count); `\(ProgramName.current) verify` shows rows, `\(ProgramName.current) rebuild --keep-old FILE` keeps a copy of the database and rebuilds it"
    switch format {
    case .text:
      for finding in report.findings {
        console.write("\(finding.subject.rawValue): \(finding.message)")
      }
      write(report.conflicts, more: report.moreConflicts, to: console)
      write(report.references, to: console)
      console.write(verdict)
    case .json: try console.write(json: VerifyJSON(report))
    case .github:
      for finding in report.findings {
        console.write(
          Annotation(.error, title: "Catalog \(finding.subject.rawValue)", finding.message).line)
      }
      console.write(
        Annotation(report.findings.isEmpty ? .notice : .error, title: "Catalog", verdict).line)
    }
    if !report.findings.isEmpty { throw Exit(status: .findings) }
  }

  private func verifyHistory(
    _ catalog: OpenedCatalog, _ progress: ProgressPrinter, to console: Console
  ) async throws {
    let (directory, log) = (catalog.directory, catalog.log)
    let history = try CatalogHistory.required(directory, log, progress.observer)
    let report = try await Blocking.run { [rows] in
      try HistoryVerification(history, of: log, rowLimit: rows, progress: progress.observer)
        .run(live: PastDatabase(.live, of: PastStates(log), live: directory.database))
    }
    progress.finish()
    let rest =
      report.missing == 0
      ? "" : "; it lacks \(Count.of(report.missing, "event")), so the live rows were not compared"
    let verdict =
      report.findings.isEmpty
      ? "verified: the history is what the log makes: "
        + "\(Count.of(report.checkpoint.sequence, "event")), \(Count.of(report.tables, "table")), "
        + "\(Count.of(report.rows, "row"))\(rest)"
      : "\(Count.of(report.findings.count + report.unlisted, "difference")); `\(ProgramName.current) history make --again` makes "
        + "the history again"
    switch format {
    case .text:
      for finding in report.findings { console.write("history: \(finding.message)") }
      if report.unlisted > 0 {
        console.write("… and \(Count.of(report.unlisted, "more difference")); --rows lists more")
      }
      console.write(verdict)
    case .json: try console.write(json: VerifyJSON(report))
    case .github:
      for finding in report.findings {
        console.write(Annotation(.error, title: "Catalog history", finding.message).line)
      }
      console.write(
        Annotation(report.findings.isEmpty ? .notice : .error, title: "Catalog", verdict).line)
    }
    if !report.findings.isEmpty { throw Exit(status: .findings) }
  }

  private func write(_ conflicts: [ProjectionConflict], more: Int, to console: Console) {
    for conflict in conflicts { console.write("conflict: \(conflict)") }
    if more > 0 {
      let rest: ErrorMessage =
        "… and \(Count.of(more, "more conflict")); \(do: .listContradictions) lists all"
      console.write("\(rest)")
    }
  }

  private func write(_ references: [DanglingReference], to console: Console) {
    for reference in references { console.write("reference: \(reference)") }
  }

  private func write(_ report: Verification.Report, _ against: [String], to console: Console) {
    for finding in report.findings {
      console.write("\(finding.subject.rawValue): \(finding.message)")
      if finding.row != nil { console.write("      \(writer(of: finding))") }
    }
    if report.unlisted > 0 {
      console.write("… and \(Count.of(report.unlisted, "more difference")); --rows lists more")
    }
    for line in against { console.write("receipt: \(line)") }
    write(
      Array(report.conflicts.prefix(rows)), more: max(0, report.conflicts.count - rows), to: console
    )
    write(report.references, to: console)
    console.write(verdict(report, against))
    guard report.findings.isEmpty, against.isEmpty else { return }
    console.write("schema  \(report.live.schema)")
    console.write("content \(report.live.content)")
  }

  private func annotate(_ report: Verification.Report, _ against: [String], to console: Console) {
    for finding in report.findings {
      let event = finding.row == nil ? "" : "; \(writer(of: finding))"
      console.write(
        Annotation(.error, title: "Catalog \(finding.subject.rawValue)", finding.message + event)
          .line)
    }
    if report.unlisted > 0 {
      console.write(
        Annotation(
          .error, title: "Catalog", "\(Count.of(report.unlisted, "more difference")) not listed"
        ).line)
    }
    for line in against {
      console.write(Annotation(.error, title: "Catalog receipt", line, file: receipt).line)
    }
    let isEqual = report.findings.isEmpty && against.isEmpty
    console.write(
      Annotation(isEqual ? .notice : .error, title: "Catalog", verdict(report, against)).line)
  }

  private func writer(of finding: VerificationFinding) -> String {
    finding.event.map {
      "last written by event \($0.sequence), \($0.at), \($0.type), \($0.by)"
    } ?? "no event wrote this row"
  }

  /// How many events one of the replays carries row by row.
  static func carried(of events: UInt64, _ isThorough: Bool) -> UInt64 {
    isThorough ? events : CarriedReplay.events(of: events)
  }

  private func verdict(_ report: Verification.Report, _ against: [String]) -> String {
    guard report.findings.isEmpty, against.isEmpty else {
      let total = report.findings.count + report.unlisted + against.count
      // A receipt is of another log or another revision: no rebuild makes that one.
      let advice =
        report.findings.isEmpty
        ? ""
        : "; `\(ProgramName.current) rebuild --keep-old FILE` keeps a copy of the database and rebuilds it"
      return Count.of(total, "difference") + advice
    }
    let rows = report.live.tables.reduce(0) { $0 + $1.rows }
    let events = report.live.checkpoint.sequence
    let carried = Self.carried(of: events, thorough)
    let extent =
      carried < events ? " (the last \(Count.grouped(carried)) row by row)" : ""
    return "verified: two replays and the live database are identical: "
      + "\(Count.of(events, "event"))\(extent), "
      + "\(Count.of(report.live.tables.count, "table")), \(Count.of(rows, "row"))"
  }
}
