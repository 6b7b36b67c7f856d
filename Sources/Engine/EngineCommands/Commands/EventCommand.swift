import ArgumentParser
import CatalogEngine
import CatalogModel
import EventLog

struct EventCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "event",
    abstract: "Show one event and its batch.",
    discussion: """
      As JSON, only the event's line. With --rows the log is replayed up to the event, to show which rows it \
      changed.
      """.examples(
        "\(ProgramName.current) event 3533",
        "\(ProgramName.current) event 3533 --rows"))

  @OptionGroup var history: HistoryOptions

  @Argument(help: ArgumentHelp("The event's sequence.", valueName: "seq"))
  var sequence: UInt64

  @Flag(name: .long, help: "Show the rows that it changed.")
  var rows = false

  func validate() throws {
    if rows, history.options.format == .json {
      throw ValidationError("--rows needs --format text: JSON has only the event's line")
    }
  }

  func run() throws {
    let console = Console.current
    let log = try history.reader()
    guard let head = try log.head(), sequence >= 1, sequence <= head.sequence else {
      let last = try log.head()?.sequence ?? 0
      throw ValidationError("there is no event \(sequence); the log holds events 1 to \(last)")
    }
    let batch = try log.batch(containing: sequence)
    let found = try EventLine.json(of: sequence, in: batch, of: log)
    guard history.options.format == .text else {
      console.write(jsonText: found)
      return
    }
    console.write(jsonText: try EventLine.pretty(found))
    console.write(
      "batch: events \(batch.firstSequence) to \(batch.lastSequence), chain \(batch.chain.hex)")
    console.write("stored: \(log.place(of: batch))")
    guard rows else { return }
    let progress = ProgressPrinter(console)
    let changes = try RowChanges(of: sequence, in: history.log(), progress: progress.observer)
      .changes
    progress.finish()
    for change in changes { console.write("row: \(change.line)") }
    if changes.isEmpty { console.write("no row changed") }
  }
}
