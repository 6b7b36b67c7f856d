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

  @Argument(
    help: ArgumentHelp(
      "The event's sequence, or another moment: its last event.", valueName: "seq"),
    transform: Moment.typed)
  var event: Moment

  @Flag(name: .long, help: "Show the rows that it changed.")
  var rows = false

  func validate() throws {
    if event == .live || event == .start {
      throw ValidationError("event reads the log: name a sequence, or head for its last event")
    }
    if rows, history.options.format == .json {
      throw ValidationError("--rows needs --format text: JSON has only the event's line")
    }
  }

  func run() throws {
    let console = Console.current
    let log = try history.reader()
    let sequence = try sequence(in: log)
    let batch = try log.batch(containing: sequence)
    let found = try EventLine.json(of: sequence, in: batch, of: log)
    guard history.options.format == .text else {
      if console.shape == .csv {
        var decoder = EnvelopeDecoder()
        let event = try decoder.decode(line: Array(found.utf8), expecting: sequence)
        console.write(document: EventLine.csvHeader + EventLine.csv(event, json: found))
        return
      }
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
    var values = ValueExcerpts(isWhole: true)
    for change in changes {
      let line = try RowReport(change, nil).line(&values, withStamps: true)
      console.write("row: \(line)")
    }
    if changes.isEmpty { console.write("no row changed") }
  }

  /// Finds the event that was named.
  ///
  /// - Throws: `CatalogError` with `noMoment` if the log has no such event; `ValidationError` if an operation has several.
  private func sequence(in log: any LogStore) throws -> UInt64 {
    if case .sequence(let sequence) = event {
      let last = try log.head()?.sequence ?? 0
      if 1...max(1, last) ~= sequence { return sequence }
    }
    let name: OperationName
    if case .operation(let named) = event {
      name = named
    } else {
      let found = try event.found(in: history.log())
      // Digits that are no event may begin the id of an operation.
      guard case .sequence = event, case .operation(let named) = found.moment else {
        return found.sequence ?? 0
      }
      name = named
    }
    let range = try OperationRange(showing: name, in: history.log())
    guard range.first == range.last else {
      throw ValidationError(
        "operation \(name) has the \(range.words): name one of them; "
          + "`\(ProgramName.current) show \(name)` shows what it did")
    }
    return range.first
  }
}
