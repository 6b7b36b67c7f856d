import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import EventLog

struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show one operation: its events, and which columns it changed in how many rows.",
    discussion: """
      An operation is named by its id, by at least four characters of it, or by its events: 3534, 3534..3600. An event \
      means the whole batch that has it. For each table the command counts the rows that were added, removed and changed, \
      and for each column the rows in which it changed, the change that most of them have, and whether no earlier batch \
      ever changed that column in a row that existed. A row that changed and changed back counts as unchanged.

      The program's own tables (projection_…) and columns such as updated_at are left out unless --all asks for them. \
      `\(ProgramName.current) changes` lists the rows.
      """.examples("\(ProgramName.current) show 3534", "\(ProgramName.current) show 1318f01b"))

  @OptionGroup var history: HistoryOptions

  @OptionGroup var detail: DetailOptions

  @Argument(
    help: ArgumentHelp(
      "The id of the operation or its beginning, an event, or whole batches by their first and last event.",
      valueName: "operation"),
    transform: OperationName.typed)
  var operation: OperationName

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    let states = try history.states(progress).withHistory()
    let range = try OperationRange(
      showing: operation, in: states.log, history: states.history)
    try DigitsOfEvent(operation, in: range)?.note(in: states, on: console)
    let batch = try states.described(range.range)
    let summary = try states.summary(of: range.range, withOwn: detail.all)
    let origin = try states.log.origin(of: batch.event)
    let described =
      (states.log.kind as? any SelfDescribingKind)?
      .descriptionChanges(in: range.first...range.last) ?? []
    progress.finish()
    try console.write(history.options.format, json: json(range, batch, origin, described, summary))
    {
      $0.write(
        (range.operations.count == 1
          ? "operation \(range.operations[0])"
          : Count.of(range.operations.count, "operation")) + ", \(range.words)", as: .heading)
      $0.write("    \(batch.event.at), \(batch.event.by)")
      $0.write(reason: origin.reason, of: batch.event)
      for name in origin.documents { $0.write("    of \(name)") }
      for words in batch.types.wordsByFrequency { $0.write("    \(words)") }
      for line in described { $0.write(line) }
      var values = ValueExcerpts(isWhole: detail.all)
      $0.write(summary, &values, rare: true)
      if summary.tables.isEmpty { $0.write("no row changed") }
      $0.write(OmittedChanges(), cutValues: values.cut)
    }
  }

  private func json(
    _ range: OperationRange, _ batch: Divergence.Batch, _ origin: OperationOrigin,
    _ described: [String],
    _ summary: OperationSummary
  ) -> JSONObject {
    [
      "operations": range.operations.map(\.description), "firstSequence": range.first,
      "lastSequence": range.last, "at": batch.event.at.description, "by": batch.event.by,
      "reason": origin.reason,
      "documents": origin.documents.isEmpty ? nil : origin.documents, "types": batch.types,
      "described": described.isEmpty ? nil : described,
      "tables": summary.json,
    ]
  }
}
