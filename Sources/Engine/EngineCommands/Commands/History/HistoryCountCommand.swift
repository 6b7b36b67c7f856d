import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import EventLog

struct HistoryCountCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "count",
    abstract: "Show how an answer changed over the log.",
    discussion: """
      Lists the answer of a statement after the first batch, and after each batch that changed it: the first value that the \
      statement returns. SELECT count(*) FROM TABLE WHERE … takes one pass over the versions of the table's rows; any other \
      statement is run after each batch that changed a table which it reads. \(HistoryOptions.pastMoments)
      """.examples(
        of: "history count",
        "\(ProgramName.current) history count 'SELECT count(*) FROM TABLE'",
        "\(ProgramName.current) history count 'SELECT max(id) FROM TABLE' --from 99"))

  @OptionGroup var history: HistoryOptions

  @Option(
    name: .long,
    help: ArgumentHelp("Where to start; default event 1.", valueName: "when"),
    transform: Moment.typed)
  var from: Moment?

  @Option(
    name: .long, help: ArgumentHelp("Where to end; default the log's head.", valueName: "when"),
    transform: Moment.typed)
  var to: Moment?

  @OptionGroup var limit: TimeLimitOptions

  @Argument(help: "The SQL statement to run.")
  var sql: String

  func validate() throws {
    if from == .live || to == .live {
      throw ValidationError("history count reads the log: name sequences or times, not live")
    }
  }

  func run() async throws {
    try await limit.bounding { limit in
      let console = Console.current
      let progress = ProgressPrinter(console)
      defer { progress.finish() }
      let states = try history.states(progress, until: limit)
      let start = try from.map(states.found)
      let end = try to.map(states.found)
      let first = start?.sequence ?? 1
      let last = try end?.sequence ?? states.log.head()?.sequence ?? first
      let points = try states.log.explaining(sql) {
        try Bisection(sql, in: states).series(from: first, through: last)
      }
      progress.finish()
      console.write(start, as: "from", besides: history.options.format)
      console.write(end, as: "to", besides: history.options.format)
      try console.write(history.options.format, json: points.map(\.json)) { console in
        var table = AnswerOutput(.text, nil, console)
        table.begin(["event", "time", "answer"])
        for point in points {
          try table.write([
            .integer(Int64(clamping: point.batch.lastSequence)), .text(point.at.description),
            point.value,
          ])
        }
        try table.end()
      }
    }
  }
}

extension Bisection.Point {
  fileprivate var json: JSONObject {
    [
      "firstSequence": batch.firstSequence, "sequence": batch.lastSequence, "at": at.description,
      "value": AnswerCell.value(value),
    ]
  }
}
