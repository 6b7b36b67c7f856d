import ArgumentParser
import CatalogEngine
import EventLog
import Projections

extension OperationName {
  /// Reads what a person types as an option or an argument.
  package static func typed(_ text: String) throws -> OperationName {
    guard let name = OperationName(text) else {
      let fault = MomentRange.advice(onMistyped: text) ?? "\"\(text)\" is not an operation"
      throw ValidationError("\(fault); name an operation by \(forms)")
    }
    return name
  }
}

struct WhatIfCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "what-if",
    abstract: "Show what the catalog would be without an operation.",
    discussion: """
      Replays the log without the operation, and compares the catalog with what that gives: rows with + are those that \
      the catalog would have, rows with - those that it would not have. Later events that would contradict the rows are \
      listed: a replay without the operation does not carry them out; of an event of many rows it carries out the others. \
      Nothing is written to the catalog.

      An operation is the id that log and diff show, or its first four characters or more, or the events of whole \
      batches: 3534 or 3534..3600. The program's own tables (projection_…) are left out unless --all or --table asks for \
      them. Text also cuts long values and leaves out columns such as updated_at. Exit status 2 if anything differs.
      """.examples(
        of: "what-if", "\(ProgramName.current) what-if 1318f01b",
        "\(ProgramName.current) what-if 3534..3600 --summary"))

  @OptionGroup var history: HistoryOptions

  @OptionGroup var shown: DiffOptions

  @Argument(
    help: ArgumentHelp("The operation that is left out.", valueName: "operation"),
    transform: OperationName.typed)
  var operation: OperationName

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    let states = try history.states(progress)
    let described = states.log.kind as? any SelfDescribingKind
    let range = try OperationRange(operation, in: states.log, history: states.history)
    if let described, range.contains(described.firstDescription) {
      throw CatalogError(
        .noMoment,
        "event \(described.firstDescription) describes the tables: without it there are none; name later events"
      )
    }
    let found = try WhatIfReplay(operation, in: states)
    let diff = try shown.difference(
      from: found.actual, to: found.without, of: states.log.kind, events: states,
      history.options.format)
    progress.finish()
    let names = RowNames(states.log.kind, in: [found.without, found.actual])
    let output = DiffOutput(diff, names, hasEvents: true, shown)
    switch history.options.format {
    case .text:
      console.note("without: \(found.range.words), \(found.range.operationWords)")
      try output.write(to: console)
      write(found.contradictions, to: console)
    case .json:
      try console.write(
        json: [
          "firstSequence": found.range.first, "lastSequence": found.range.last,
          "operations": found.range.operations.map(\.description),
          "tables": output.json(from: found.actual.sequence, to: nil),
          "contradictions": found.contradictions.map(\.json),
        ] as JSONObject)
      console.write(diff.leftOut, cutValues: 0)
    }
    for line in described?.descriptionChanges(in: range.first...range.last) ?? [] {
      console.error("the description of the tables stays: \(line)")
    }
    if output.hasDifferences || !found.contradictions.isEmpty { throw Exit(status: .findings) }
  }

  private func write(_ contradictions: [ProjectionConflict], to console: Console) {
    guard !contradictions.isEmpty else { return }
    let events = Set(contradictions.map(\.sequence)).count
    let sentence = "\(Count.of(events, "later event")) would contradict the catalog"
    guard !shown.summary else {
      return console.write("\(sentence); without --summary they are listed")
    }
    console.write("\(sentence):", as: .heading)
    for conflict in contradictions.prefix(shown.rows) { console.write("  \(conflict)") }
    let more = contradictions.count - shown.rows
    if more > 0 { console.write("  … and \(Count.grouped(more)) more; --rows lists more") }
  }
}

extension OperationRange {
  /// Its operations, for a person.
  var operationWords: String {
    operations.count == 1
      ? "operation \(operations[0])" : Count.of(operations.count, "operation")
  }
}
