import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import EventLog
import Projections

struct BisectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bisect",
    abstract: "Find the batch that changed a query's answer.",
    discussion: """
      The answer is the first value that the statement returns. It changes when it becomes true or stops \
      being true; with --changed, when it differs at all. A binary search finds one change in few steps; \
      --scan reads every batch and lists every change. Exit status 2 if a change is found.
      """.examples(
        of: "bisect", "\(ProgramName.current) bisect --sql 'SELECT count(*) > 27 FROM TABLE'"))

  @OptionGroup var history: HistoryOptions

  @Option(name: .long, help: ArgumentHelp("The SQL statement to run.", valueName: "sql"))
  var sql: String

  @Option(
    name: .long,
    help: ArgumentHelp("Where to start; default the first event.", valueName: "when"))
  var good: Moment = .sequence(1)

  @Option(
    name: .long, help: ArgumentHelp("Where to end; default the log's head.", valueName: "when"))
  var bad: Moment?

  @Flag(name: .long, help: "Report any different answer, not only true and false.")
  var changed = false

  @Flag(name: .long, help: "Read every batch and list every change.")
  var scan = false

  @OptionGroup var limit: StatementLimitOptions

  /// How many rows a table are shown of what a batch changed.
  private static let listed = 3

  func validate() throws {
    if good == .live || bad == .live {
      throw ValidationError("bisect reads the log: name sequences or times, not live")
    }
  }

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    let states = try history.states(progress)
    let log = states.log
    let (start, end) = try (good.found(in: log.reader), bad?.found(in: log.reader))
    let first = start.sequence ?? 1
    let last = try (end?.sequence ?? log.head()?.sequence) ?? 1
    let bisection = Bisection(
      sql, sense: changed ? .value : .truth, in: states, timeout: limit.duration)
    var turns: [Bisection.Turn] = []
    var changes: [RowChanges.Change] = []
    var steps: Int?
    if scan {
      turns = try bisection.scan(from: first, through: last)
    } else {
      let found = try bisection.run(good: first, bad: last)
      turns = [found.turn]
      changes = found.changes
      steps = found.steps
    }
    progress.finish()
    // In JSON too: an empty array cannot say which state was looked at.
    console.write(start, as: "from")
    console.write(end, as: "to")
    let found = try turns.map { try TurnJSON($0, from: first, to: last, log: log) }
    switch history.options.format {
    case .text: write(found, changes, steps, to: console)
    case .json: try console.write(json: found)
    }
    if !turns.isEmpty { throw Exit(status: .findings) }
  }

  private func write(
    _ turns: [TurnJSON], _ changes: [RowChanges.Change], _ steps: Int?, to console: Console
  ) {
    for turn in turns {
      console.write(
        "events \(turn.firstSequence) to \(turn.lastSequence): \(turn.before) → \(turn.after)")
      console.write("    \(turn.at), \(turn.by), operation \(turn.op)")
      for (type, count) in turn.types.sorted(by: { $0.key < $1.key }) {
        console.write("    \(Count.grouped(count)) \(type)")
      }
    }
    write(changes, to: console)
    if let turn = turns.first, turns.count == 1 {
      console.write(
        "every row: \(ProgramName.current) diff \(turn.firstSequence - 1) \(turn.lastSequence)")
    }
    if let steps {
      console.error("\(Count.of(steps, "state")) queried")
    } else {
      console.error(Count.of(turns.count, "turn"))
    }
  }
}

extension BisectCommand {
  /// What a batch did, table by table in the order of the schema.
  private func write(_ changes: [RowChanges.Change], to console: Console) {
    let tables = Dictionary(grouping: changes, by: \.table.ordinal).sorted { $0.key < $1.key }
    for (_, changes) in tables {
      let added = changes.count { $0.before == nil }
      let removed = changes.count { $0.after == nil }
      console.write(
        "\(changes[0].table.name): \(Count.grouped(added)) added, \(Count.grouped(removed)) removed, "
          + "\(Count.grouped(changes.count - added - removed)) changed")
      for change in changes.prefix(Self.listed) { console.write("  \(change.line)") }
      if changes.count > Self.listed {
        console.write("  … \(Count.grouped(changes.count - Self.listed)) more")
      }
    }
  }
}

private struct TurnJSON: Encodable {
  let fromSequence: UInt64
  let toSequence: UInt64
  let firstSequence: UInt64
  let lastSequence: UInt64
  let before: String
  let after: String
  let at: String
  let by: String
  let op: String
  let types: [String: Int]

  /// - Parameters:
  ///   - from: the last event of the state with which the search began.
  ///   - to: that of the state with which it ended.
  init(_ turn: Bisection.Turn, from: UInt64, to: UInt64, log: CatalogLog) throws {
    fromSequence = from
    toSequence = to
    firstSequence = turn.batch.firstSequence
    lastSequence = turn.batch.lastSequence
    before = turn.before.description
    after = turn.after.description
    var at = ""
    var by = ""
    var op = ""
    var types: [String: Int] = [:]
    let replay = try EventReplay(
      log, after: LogPosition(before: turn.batch.firstSequence, in: log.reader).head, for: .events)
    _ = try replay.nextBatch { block, range in
      for place in range {
        let event = block.envelope(at: place)
        at = event.at.description
        by = event.by
        op = event.operation.description
        types[event.type, default: 0] += 1
      }
    }
    self.at = at
    self.by = by
    self.op = op
    self.types = types
  }
}
