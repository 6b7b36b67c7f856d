import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import EventLog
import Projections
import Support

struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Every version of every row: make it, ask it, remove it.",
    discussion: """
      The first question about the past makes history.sqlite from the log, and the next ones bring it up to date: query \
      --at, diff, changes, blame, bisect and receipt --at ask it instead of replaying. It can be deleted at any time. \
      With --no-history they make one that goes with the command, or replay the log.
      """,
    subcommands: [
      HistoryMakeCommand.self, HistoryStatusCommand.self, HistoryRowCommand.self,
      HistoryCountCommand.self, HistoryViewsCommand.self,
      HistoryRemoveCommand.self,
    ])
}

struct HistoryMakeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make",
    abstract: "Make the history, or bring it up to date.",
    discussion: "".examples("\(ProgramName.current) history make"))

  @OptionGroup var options: CatalogOptions

  @Flag(name: .long, help: "Make it from event 1, whatever exists.")
  var again = false

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    try options.directory.requireWritable()
    let log = try options.wholeLog()
    let history = try CatalogHistory(options.directory, log, progress: progress.observer)
    if again { try history.make() } else { try history.bringUpToDate() }
    progress.finish()
    let made = try HistoryJSON(history, log)
    try console.write(made, as: options.format)
    if made.problem != nil { throw Exit(status: .findings) }
  }
}

struct HistoryStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Say how far the history has come, and how large it is.",
    discussion: "Exit status 2 if it cannot be used.".examples(
      "\(ProgramName.current) history status"))

  @OptionGroup var options: CatalogOptions

  func run() async throws {
    let log = try options.log()
    let history = try CatalogHistory(options.directory, log)
    let status = try HistoryJSON(history, log)
    try Console.current.write(status, as: options.format)
    if status.problem != nil { throw Exit(status: .findings) }
  }
}

struct HistoryRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove the history; the next question about the past makes it again.",
    discussion: "".examples("\(ProgramName.current) history remove"))

  @OptionGroup var options: CatalogOptions

  func run() async throws {
    try options.directory.requireWritable()
    let log = try options.log()
    let history = try CatalogHistory(options.directory, log)
    try history.remove()
    try Console.current.write(HistoryJSON(history, log), as: options.format)
  }
}

struct HistoryRowCommand: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "row",
      abstract: "List every change of a row, oldest first.",
      discussion: """
        A row has one state after each batch, and a change from the state before it; blame shows which event of a batch \
        wrote a column.
        """.examples(
          of: "history row", "\(ProgramName.current) history row TABLE KEY",
          "\(ProgramName.current) history row TABLE KEY --at 3600"))
  }

  @OptionGroup var history: HistoryOptions

  @Option(
    name: .long,
    help: ArgumentHelp("The last moment to show; default the log's head.", valueName: "when"),
    transform: Moment.typed)
  var at: Moment?

  @Argument(help: "A table of the catalog.", completion: CatalogCompletion.tables)
  var table: String

  @Argument(
    help: "The values of its key, in the order of the key's columns.",
    completion: CatalogCompletion.keys)
  var key: [String]

  func validate() throws {
    if at == .live {
      throw ValidationError("history row reads the log: name a sequence or a time, not live")
    }
  }

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    let states = try history.states(progress)
    let description = try states.log.kind.schema.table(named: table, of: states.log)
    let words = try description.typed(key: key) {
      try history.database(at ?? .head(back: 0), progress)
    }
    let key = try description.parse(key: words)
    let moment = try at.map(states.found)
    let last = try moment?.sequence ?? states.log.head()?.sequence ?? 0
    let steps = try states.steps(of: description, key: key, through: last)
    let names = try states.names(through: last)
    progress.finish()
    console.write(moment, besides: history.options.format)
    try console.write(
      history.options.format, json: steps.map { try $0.json(names) }
    ) { console in
      var values = ValueExcerpts(isWhole: true)
      for step in steps {
        console.write(step.event.line, as: .heading)
        console.write("  " + (try RowReport(step.change, names).line(&values, withStamps: true)))
      }
    }
  }
}

/// How far a history has come, as JSON and as a line.
private struct HistoryJSON: Encodable {
  let file: String
  /// The last event that it has; absent if it is missing or of no use.
  let sequence: UInt64?
  let bytes: Int
  /// Events of the log that it lacks.
  let behind: UInt64
  /// Why it is of no use.
  let problem: String?
  /// For a person: why no other one can be made.
  private let obstacle: ErrorMessage?

  private enum CodingKeys: CodingKey {
    case file, sequence, bytes, behind, problem
  }

  init(_ history: CatalogHistory, _ log: CatalogLog) throws {
    let head = try log.head()?.sequence ?? 0
    file = history.path
    bytes = history.byteCount
    switch try history.standing() {
    case .missing: (sequence, problem) = (nil, nil)
    case .within(let checkpoint): (sequence, problem) = (checkpoint.sequence, nil)
    case .unfit(let reason): (sequence, problem) = (nil, "\(reason)")
    }
    behind = head - min(head, sequence ?? 0)
    obstacle = sequence == nil ? try history.obstacle() : nil
  }

  var line: String {
    if let problem {
      let advice = obstacle ?? "`\(ProgramName.current) history make` makes it again"
      return "\(file) cannot be used: \(problem); \(advice)"
    }
    guard let sequence else {
      return "there is no history; \(obstacle ?? "the first question about the past makes it")"
    }
    let rest = behind == 0 ? "" : ", and lacks \(Count.of(behind, "event")) of the log"
    return "\(file): \(Count.bytes(bytes)), up to event \(sequence)\(rest)"
  }
}

extension Console {
  fileprivate func write(_ history: HistoryJSON, as format: OutputFormat) throws {
    try write(format, json: history) { $0.write(history.line) }
  }
}
