import ArgumentParser
import CatalogEngine
import EngineCommands
import EventLog

struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract:
      "Write an HTML page of the history: what changed when, the largest operations, drift.",
    discussion: """
      One HTML file that needs no network, with parts of the pages that `\(ProgramName.current) serve` shows: what \
      the live database has that the log does not say, the log as bars, the number of rows over time, the \
      largest operations with what they changed, and the rows that changed with the events that changed them. \
      The same log and options give the same bytes.

      \(HistoryOptions.pastMoments)
      """.examples(
        "\(ProgramName.current) report history.html",
        "\(ProgramName.current) report week.html --since -7d"))

  @OptionGroup var history: HistoryOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Report only changes after this moment. Default: all.",
      valueName: "when"), transform: Moment.typed)
  var since: Moment?

  @Option(
    name: [.long, .customShort("n")],
    help: ArgumentHelp(
      "List at most this many changed rows, and this many differences of the live database.",
      valueName: "n"))
  var rows: Int = 1_000

  @Argument(help: ArgumentHelp("The file to create.", valueName: "file"), completion: .file())
  var out: String

  func validate() throws {
    try OptionBounds.requireCount(rows, "--rows")
    if out.isEmpty || out.hasSuffix("/") {
      throw ValidationError("report needs the name of a file")
    }
    if since == .live {
      throw ValidationError(
        "--since takes a sequence or a time: the live database is always compared with the log")
    }
  }

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    let past = try history.states(progress)
    // A place that is refused is refused before a history is made.
    let file = try NewFile(out, apartFrom: history.places)
    let states = try past.withHistory()
    let report = try HistoryReport(
      of: states, live: history.live, since: since, rowLimit: rows)
    try file.write(ReportPage(report, of: states).text)
    progress.finish()
    console.write(report.start, as: "since", besides: history.options.format)
    let (events, rows, drift) = (
      report.statistics.range.events, report.changes.rows, Self.drift(report)
    )
    let json: JSONObject = [
      "file": out, "since": report.since, "sequence": report.head.sequence,
      "chain": report.head.chain.hex, "events": events, "rows": rows, "drift": drift,
    ]
    try console.write(history.options.format, json: json) { console in
      let words =
        switch drift {
        case .some(0): "no drift"
        case .some(let count): "\(Count.of(count, "difference")) in the live database"
        case nil: "the live database was not compared"
        }
      console.write(
        "\(out): \(Count.of(events, "event")), \(Count.of(rows, "changed row")), \(words)")
    }
  }

  /// Differences of the live database; nil if it was not compared with the log.
  private static func drift(_ report: HistoryReport) -> Int? {
    guard case .compared = report.drift.standing else { return nil }
    return report.drift.findings.count + report.drift.unlisted
  }
}
