import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import EventLog

struct HistoryCountCommand: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
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
  }

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

  @Option(
    name: .long,
    help: ArgumentHelp(
      "List only this many steps, those by which a number changed most.", valueName: "n"))
  var largest: Int?

  @OptionGroup var limit: TimeLimitOptions

  @Argument(help: "The SQL statement to run.")
  var sql: String

  func validate() throws {
    try OptionBounds.requireCount(largest, "--largest")
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
      let all = try states.log.explaining(sql) {
        try Bisection(sql, in: states).series(from: first, through: last)
      }
      let points = largest.map { Self.largestSteps(in: all, $0) } ?? all
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

  /// The points at which a number changed most, in the order of the log.
  private static func largestSteps(
    in points: [Bisection.Point], _ count: Int
  ) -> [Bisection.Point] {
    let steps = points.indices.dropFirst().map { index in
      (index: index, size: abs((number(points[index]) ?? 0) - (number(points[index - 1]) ?? 0)))
    }
    return steps.sorted { ($1.size, $0.index) < ($0.size, $1.index) }.prefix(count)
      .map(\.index).sorted().map { points[$0] }
  }

  private static func number(_ point: Bisection.Point) -> Double? {
    switch point.value {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    default: nil
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
