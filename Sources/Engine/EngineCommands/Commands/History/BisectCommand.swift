import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import EventLog
import Projections

struct BisectCommand: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "bisect",
      abstract: "Find the batch that changed a query's answer.",
      discussion: """
        The answer is the first value that the statement returns; any two different answers are a change. A binary \
        search finds one change in few steps and says how many states it did not query; --all finds every change. \
        Text cuts long values and leaves out columns such as updated_at and the program's own tables \
        (projection_…), and says how many; --details shows them, and JSON has whole values. Exit status 2 if a change is found. A value of the \
        answer may have 64 MiB.
        """.examples(
          of: "bisect", "\(ProgramName.current) bisect 'SELECT count(*) > 27 FROM TABLE'",
          "\(ProgramName.current) bisect --all 'SELECT count(*) FROM TABLE'"))
  }

  @OptionGroup var history: HistoryOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Where to start; default the state after the first import.", valueName: "when"),
    transform: Moment.typed)
  var good: Moment?

  @Option(
    name: .long, help: ArgumentHelp("Where to end; default the log's head.", valueName: "when"),
    transform: Moment.typed)
  var bad: Moment?

  // In earlier releases only answers that became true or false were changes without it.
  @Flag(name: .long, help: .hidden)
  var changed = false

  @Flag(name: .long, help: "Find every change of the answer, not one.")
  var all = false

  // The name of --all in earlier releases.
  @Flag(name: .long, help: .hidden)
  var scan = false

  @Flag(name: .long, help: "Show all rows that the batch changed, not only their numbers.")
  var rows = false

  @Flag(
    name: [.long, .customShort("v"), .customLong("verbose")],
    help: ArgumentHelp(
      "Show everything of the batch as text: long values whole, columns such as updated_at and the tables projection_…."
    ))
  var details = false

  @OptionGroup var limit: TimeLimitOptions

  @Argument(help: "The SQL statement to run.")
  var sql: String

  func validate() throws {
    if good == .live || bad == .live {
      throw ValidationError("bisect reads the log: name sequences or times, not live")
    }
    if rows, findsAll {
      throw ValidationError("--rows shows what one batch changed: leave --all out")
    }
    if rows, history.options.format == .json {
      throw ValidationError(
        "--rows needs --format text: JSON has the batch, `\(ProgramName.current) diff` its rows")
    }
  }

  private var findsAll: Bool { all || scan }

  func run() async throws {
    let changes = try await limit.bounding { limit in
      do {
        return try search(until: limit)
      } catch let error as CatalogError where error.code == .changeRefused {
        // Nothing was found, which is an answer, as with --all.
        try Console.current.write(history.options.format, json: [String]()) { _ in }
        Console.current.error("\(ProgramName.current): \(error)")
        return 0
      }
    }
    if changes > 0 { throw Exit(status: .findings) }
  }

  /// - Returns: how many changes were found.
  private func search(until limit: TimeLimit?) throws -> Int {
    let console = Console.current
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    let states = try history.states(progress, until: limit)
    let log = states.log
    let start = try good.map(states.found)
    let end = try bad.map(states.found)
    let first = try start?.sequence ?? Bisection.start(of: log)
    let last = try end?.sequence ?? log.head()?.sequence ?? first
    let beginning = (log.kind as? any SelfDescribingKind)?.firstDescription ?? 1
    guard good != nil || last > beginning else {
      let command = CatalogProgram.current?.command(toDo: "import", in: log.kind)
      throw CatalogError(
        .noMoment,
        "the catalog is empty: nothing was imported yet"
          + (command.map { "; `\(ProgramName.current) \($0)` does that" } ?? ""))
    }
    guard good != nil || first < last else {
      throw CatalogError(
        .noMoment,
        "the log has nothing after its first import, which ends with event \(first); name an earlier moment with --good"
      )
    }
    let bisection = Bisection(sql, in: states)
    let (found, changes) = try log.explaining(sql) {
      let found = findsAll ? nil : try bisection.run(good: first, bad: last)
      return (found, try found.map { [$0.change] } ?? bisection.scan(from: first, through: last))
    }
    progress.finish()
    // In JSON too: an empty array cannot say which state was looked at.
    console.write(start, as: "from")
    console.write(end, as: "to")
    let listed = try changes.map { try ListedChange($0, in: states) }
    let (shown, leftOut) = Self.shown(found?.rows ?? [], isWhole: details)
    let summary = try found.map {
      try states.noting(OperationSummary(shown), after: $0.change.batch.firstSequence - 1)
    }
    try console.write(
      history.options.format, json: listed.map { $0.json(from: first, to: last, summary) }
    ) {
      var values = ValueExcerpts(isWhole: details)
      write(listed, &values, to: $0)
      if let summary {
        try write(shown, summary, &values, states.names(through: last), to: $0)
      }
      $0.write(leftOut, cutValues: values.cut, option: "--details")
      if let batch = listed.first?.change.batch, listed.count == 1 {
        $0.write(
          "every row: \(ProgramName.current) diff \(batch.firstSequence - 1) \(batch.lastSequence)")
      } else if let last = listed.last {
        $0.write(
          "the columns that a change wrote: \(ProgramName.current) show \(last.change.batch.lastSequence)"
        )
      }
    }
    if let found {
      write(found, last, to: console)
    } else if history.options.format == .text {
      console.note(Count.of(changes.count, "change"))
    }
    return changes.count
  }

  private static func shown(
    _ rows: [RowChange], isWhole: Bool
  ) -> (changes: [RowChange], leftOut: OmittedChanges) {
    isWhole ? (rows, OmittedChanges()) : RowChanges.withoutStampsAndOwnTables(rows)
  }

  private func write(
    _ changes: [ListedChange], _ values: inout ValueExcerpts, to console: Console
  ) {
    for listed in changes {
      let (change, batch) = (listed.change, listed.change.batch)
      console.write(
        "events \(batch.firstSequence) to \(batch.lastSequence): "
          + values.change(from: change.before, to: change.after))
      console.write("    \(listed.at), \(listed.by), operation \(listed.operation)")
      for words in listed.types.wordsByName { console.write("    \(words)") }
    }
  }

  /// Prints the changes that the search does not report.
  private func write(_ found: Bisection.Found, _ last: UInt64, to console: Console) {
    if found.hasLaterChange {
      console.error(
        "the answer changed again: after event \(last) it is \(found.last); --all lists every change"
      )
    }
    let left = found.states - found.queried
    console.error(
      left == 0
        ? "all \(Count.of(found.states, "state")) queried"
        : "\(Count.grouped(found.queried)) of \(Count.of(found.states, "state")) queried; "
          + "\(Count.grouped(left)) not, which can contain other changes: --all finds them")
  }
}

extension BisectCommand {
  /// Prints the changes of a batch, table by table in the order of the schema.
  private func write(
    _ changes: [RowChange], _ summary: OperationSummary, _ values: inout ValueExcerpts,
    _ names: RowNames?, to console: Console
  ) throws {
    let tables = Dictionary(grouping: changes, by: \.table.name)
    for table in summary.tables {
      console.write("\(table.name): \(table.words)")
      for line in table.lines(&values, from: rows ? 2 : 1) { console.write("  \(line)") }
      if rows, let changes = tables[table.name] {
        for change in changes {
          console.write("  \(try RowReport(change, names).line(&values, withStamps: details))")
        }
      }
    }
  }
}

/// A change of the answer, and what the events of its batch say of themselves.
private struct ListedChange {
  let change: Bisection.Change
  let at, by, operation: String
  let types: EventCounts

  init(_ change: Bisection.Change, in states: PastStates) throws {
    self.change = change
    let batch = try states.described(change.batch)
    (at, by) = (batch.event.at.description, batch.event.by)
    (operation, types) = (batch.event.operation.description, batch.types)
  }

  /// - Parameters:
  ///   - from: the last event of the state with which the search began.
  ///   - to: that of the state with which it ended.
  ///   - summary: what the batch did to the rows; nil if all changes are listed.
  func json(from: UInt64, to: UInt64, _ summary: OperationSummary?) -> JSONObject {
    [
      "fromSequence": from, "toSequence": to, "firstSequence": change.batch.firstSequence,
      "lastSequence": change.batch.lastSequence, "before": change.before.description,
      "after": change.after.description, "at": at, "by": by, "op": operation, "types": types,
      "tables": summary?.json,
    ]
  }
}
