import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import EventLog
import Projections

struct ChangesCommand: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "changes",
      abstract: "List every change of rows between two moments, in the order of the log.",
      discussion: """
        diff compares two states: a row that changed and changed back is not in it. changes lists what each batch did to \
        each row. \(HistoryOptions.pastMoments)

        The program's own tables (projection_…) are left out unless --all or --table asks for them. Text also leaves out \
        columns such as updated_at, and cuts long values; --all shows them. Exit status 2 if there are changes.

        With --follow it continues with what others append, until interrupted, a batch at a time. With --format jsonl each \
        line has resume, the event and the chain hash before what follows: a service that keeps that of the last line which \
        it processed names it the next time, and misses nothing. If the log has other events up to there, as after a \
        restore, nothing is listed, and the exit status is 3. Exit status 0 after --for, 130 after Ctrl-C.
        """.examples(
          of: "changes", "\(ProgramName.current) changes 3533 3600",
          "\(ProgramName.current) changes head~3..head",
          "\(ProgramName.current) changes 1318f01b",
          "\(ProgramName.current) changes yesterday..head --summary",
          "\(ProgramName.current) changes 3533 3600 --table TABLE",
          "\(ProgramName.current) changes head --follow --format jsonl --values plain"))
  }

  @OptionGroup var history: HistoryOptions

  @Option(
    name: .long, help: "Only changes of this table; may be repeated.",
    completion: CatalogCompletion.tables)
  var table: [String] = []

  @Option(
    name: [.long, .customShort("n")],
    help: ArgumentHelp(
      "List at most this many changes (default: \(usualRows)); all are counted.", valueName: "n"))
  var rows: Int?

  /// As many as a screen is read for.
  static let usualRows = 100

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Values in JSON: sql literals, in which 7, 7.0 and '7' differ, or plain as query prints them. Default: sql.",
      valueName: "form"))
  var values: JSONValues?

  @Flag(help: "Count the changes by table and column instead of listing them.")
  var summary = false

  @Flag(help: "Continue with the changes that others append, until interrupted.")
  var follow = false

  @OptionGroup var pace: FollowOptions

  @OptionGroup var detail: DetailOptions

  @Argument(
    help: "The earlier moment, whose changes are not listed; or an operation, or a range A..B.")
  var from: String

  @Argument(help: "The later moment; default the log's head.", transform: Moment.typed)
  var to: Moment?

  /// The end of a batch, as `resume` names it: a log that has another one there is another log.
  var resumed: LogHead? { follow ? NamedHead.inWords(from) : nil }

  func validate() throws {
    if resumed == nil {
      let ends = try ComparedMoments(from, to)
      if ends.from == .live || ends.to == .live {
        throw ValidationError("changes reads the log: name sequences or times, not live")
      }
    }
    try OptionBounds.requireCount(rows, "--rows")
    if values != nil, history.options.format != .json || summary {
      throw ValidationError("--values is about lists in JSON: name --format json or jsonl")
    }
    if follow { try requireNoEnd() }
    if !follow, pace.isGiven { throw ValidationError("--every and --for are for --follow") }
  }

  func run() async throws {
    guard !follow else { return try await followLog() }
    let rows = rows ?? Self.usualRows
    let console = Console.current
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    let states = try history.states(progress)
    let schema = states.log.kind.schema
    let tables = try schema.tables(named: table, of: states.log) ?? schema.tables
    let (start, end) = try ComparedMoments(from, to).found(
      in: states, latest: .head(back: 0), startsEarly: true)
    guard let first = start.sequence, let last = end.sequence, first <= last else {
      throw ValidationError(
        "the first moment is later than the second: name them in the log's order")
    }
    let steps = try states.steps(in: tables, after: first, through: last)
    let names = try states.names(through: last)
    progress.finish()
    console.write(start, as: "from", besides: history.options.format)
    console.write(end, as: "to", besides: history.options.format)
    let asked = steps.filter(isAskedFor)
    let listed = history.options.format == .json ? asked : asked.filter(isShown)
    func counted() throws -> OperationSummary {
      try states.noting(OperationSummary(listed.map(\.change)), after: first)
    }
    switch history.options.format {
    case .text: try write(listed, atMost: rows, counted(), names, of: steps, to: console)
    case .json where summary: try console.write(json: counted().json)
    case .json:
      try console.write(json: listed.prefix(rows).map { try $0.json(names, values) })
      var leftOut = OmittedChanges()
      for step in steps where !isAskedFor(step) { leftOut.add(1, ofOwn: step.change.table.name) }
      console.write(leftOut, cutValues: 0)
    }
    if listed.count > rows, !summary {
      console.error("\(Count.of(listed.count - rows, "more change")); --rows lists more")
    }
    if !steps.isEmpty { throw Exit(status: .findings) }
  }

  /// Whether a change is not one of the program's own tables, or the user named the table.
  func isAskedFor(_ step: RecordedChange) -> Bool {
    detail.all || !table.isEmpty || !step.change.table.isOwn
  }

  /// Whether text has a change.
  func isShown(_ step: RecordedChange) -> Bool {
    let table = step.change.table
    return detail.all || step.change.changedColumns.contains { !table.columns[$0].isChangeStamp }
  }

  private func write(
    _ shown: [RecordedChange], atMost rows: Int, _ counts: OperationSummary, _ names: RowNames?,
    of steps: [RecordedChange], to console: Console
  ) throws {
    let hidden = table.isEmpty ? steps : steps.filter { !$0.change.table.isOwn }
    let (_, leftOut) =
      detail.all
      ? ([], OmittedChanges()) : RowChanges.withoutStampsAndOwnTables(hidden.map(\.change))
    var values = ValueExcerpts(isWhole: detail.all)
    try write(summary ? [] : shown.prefix(rows), names, &values, to: console)
    if !shown.isEmpty {
      console.write("in all:", as: .heading)
      for table in counts.tables {
        console.write("  \(table.name): \(table.words)")
        for line in table.lines(&values, from: 2) { console.write("    \(line)") }
      }
    } else {
      console.write(steps.isEmpty ? "no row changed" : "no row changed but for what is left out")
    }
    console.write(leftOut, cutValues: values.cut)
  }
}

extension ChangesCommand {
  /// Writes changes as text: each event once, and below it what it did.
  func write(
    _ shown: some Sequence<RecordedChange>, _ names: RowNames?, _ values: inout ValueExcerpts,
    to console: Console
  ) throws {
    var event: UInt64?
    for step in shown {
      if step.event.sequence != event {
        event = step.event.sequence
        console.write(step.event.line, as: .heading)
      }
      let row = RowReport(step.change, names)
      console.write("  \(try row.line(&values, withStamps: detail.all))")
    }
  }
}

extension JSONValues: ExpressibleByArgument {}

extension RecordedChange {
  /// A change of a row that a batch made.
  func json(_ names: RowNames?, _ values: JSONValues? = nil) throws -> JSONObject {
    try RowReport(change, names).json(values ?? .sql) + [
      "table": change.table.name, "event": event.json,
    ]
  }
}
