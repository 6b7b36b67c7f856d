import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import EventLog

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

      With a receipt, the live database is also compared with a committed receipt, and each difference is \
      attributed to the log, the projector, the schema, the content or the times. With --content only the \
      timeless part counts, to compare a fresh import.
      """.examples(
        "\(ProgramName.current) verify",
        "\(ProgramName.current) verify --quick",
        "\(ProgramName.current) verify --thorough",
        "\(ProgramName.current) verify --history",
        "\(ProgramName.current) verify catalog.receipt.json --content --format github"))

  @OptionGroup var location: CatalogLocation

  @Option(name: .long, help: "Output format; github: annotations of a GitHub workflow.")
  var format: FindingsFormat = .text

  @Flag(name: .long, help: "Only compare with the running digests: one scan, no replay.")
  var quick = false

  @Flag(name: .long, help: "Apply every event row by row.")
  var thorough = false

  @Flag(name: .long, help: "Only compare the history with the log, and with the live rows.")
  var history = false

  @Flag(name: .long, help: "Compare only projector, schema and content of the receipt.")
  var content = false

  @Option(
    name: [.long, .customShort("n")],
    help: ArgumentHelp("List at most this many rows of each table.", valueName: "n"))
  var rows: Int = 100

  @Argument(
    help: ArgumentHelp(
      "Also compare with this receipt; - is standard input.", valueName: "receipt"),
    completion: .file()
  )
  var receipt: String?

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
        "--history compares the history alone; leave --quick, --thorough and the receipt out")
    }
    if content, receipt == nil {
      throw ValidationError("--content needs a receipt to compare with")
    }
  }

  func run() async throws { try await format.annotating("Catalog", verify) }

  private func verify() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    let recorded = try receipt.map(RecordedReceipt.load)
    if let recorded, recorded.isOfContent, !content {
      throw CatalogError(
        .verification,
        "\(receipt.map(TypedDocument.name) ?? "") is a receipt of the content alone, which says nothing of the log; say --content to compare with it"
      )
    }
    // The replays are programs of their own: their errors would come within another one.
    if !quick, !history, try location.directory.logAddress() != nil {
      _ = try location.directory.store().end()
    }
    let catalog = try await location.opened(location.reading(progress))
    defer { catalog.close() }
    try catalog.requireOwnDatabase()
    progress.finish()
    if quick {
      return try await VerifyOutput(QuickVerification(catalog).run()).write(format, to: console)
    }
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
    let age = try content ? nil : recorded.flatMap { try Self.age(of: $0, in: catalog.log) }

    try VerifyOutput(
      report, against, of: receipt.map(TypedDocument.name(of:)), of: age, isThorough: thorough,
      rows: rows
    )
    .write(format, to: console)
  }

  /// How old a receipt is beside the log; nil if it is of its end, of another log, or of other events.
  private static func age(
    of receipt: RecordedReceipt, in log: CatalogLog
  ) throws -> VerifyOutput.ReceiptAge? {
    guard let end = try log.reader.end(), let head = receipt.head(of: end.logID),
      end.head.sequence != head.sequence
    else { return nil }
    if head.sequence > end.head.sequence { return .newer(by: head.sequence - end.head.sequence) }
    do {
      _ = try log.reader.cursor(after: head)
    } catch let error as EventLogError where error.code == .lostEvents {
      return nil
    }
    return .older(by: end.head.sequence - head.sequence)
  }

  private func verifyHistory(
    _ catalog: OpenedCatalog, _ progress: ProgressPrinter, to console: Console
  ) async throws {
    let (directory, log) = (catalog.directory, catalog.log)
    let history = CatalogHistory(directory, log, progress: progress.observer)
    let report = try await Blocking.run { [rows] in
      try HistoryVerification(history, of: log, rowLimit: rows, progress: progress.observer)
        .run(live: PastDatabase(.live, of: PastStates(log), live: directory.database))
    }
    progress.finish()
    try VerifyOutput(report).write(format, to: console)
  }
}
