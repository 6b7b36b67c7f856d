import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import EventLog
import Foundation
import Projections

struct RevertCommand: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "revert",
      abstract: "Undo what an operation changed.",
      discussion: """
        Appends the events that restore the cells which the operation changed, as one batch that can be reverted, too. A \
        cell that later events changed stays as it is, and so does a row that another one needs, with what belongs to \
        it: the command lists what stays with both causes, and its exit status is 2. --force takes later values away; \
        it lists them, and needs --yes unless a person is at the terminal.

        --table, --column and --where choose a part of the operation. With --column, rows that it added or removed stay. \
        An operation is the id that log and diff show, or its first four characters or more, or the events of whole \
        batches: 3534 or 3534..3600. The program's own tables (projection_…) are left out unless --all shows them. A \
        document that a reverted operation imported stays reverted when it is imported again. No file is deleted.

        --sql appends nothing: it prints the change as SQL for the database that adopt read, for its owner to run. Each \
        statement names the values that it expects; if one of them is another one by then, nothing is changed.
        """.examples(
          of: "revert", "\(ProgramName.current) revert 1318f01b --dry-run",
          "\(ProgramName.current) revert 3534..3600 --reason wrong-export",
          "\(ProgramName.current) revert 1318f01b --table TABLE --column title",
          "\(ProgramName.current) revert 1318f01b --sql"))
  }

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions

  @Flag(name: [.long, .customShort("n")], help: "Show what would be done, and change nothing.")
  var dryRun = false

  @Flag(name: .long, help: "With --dry-run: show the events that would be appended, a line each.")
  var events = false

  @Flag(name: .long, help: "Restore cells that later events changed, too.")
  var force = false

  @Flag(name: .long, help: "With --force: later values may go, though nobody is asked.")
  var yes = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Restore this table alone; repeat for several.", valueName: "table"),
    completion: CatalogCompletion.tables)
  var table: [String] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Restore this column alone; repeat for several.", valueName: "column"),
    completion: CatalogCompletion.columns)
  var column: [String] = []

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Restore the rows alone that met this condition before the operation; --table names their table.",
      valueName: "sql"))
  var condition: String?

  @OptionGroup var cause: ReasonArguments

  @Option(
    name: .long,
    help: ArgumentHelp(
      "List at most this many rows of each table, and conflicts; all are counted.", valueName: "n"))
  var rows = 20

  @OptionGroup var detail: DetailOptions

  @OptionGroup var script: ScriptOptions

  @Argument(
    help: ArgumentHelp("The operation to undo.", valueName: "operation"),
    transform: OperationName.typed)
  var operation: OperationName

  func validate() throws {
    try OptionBounds.requireCount(rows, "--rows")
    try script.requireAlone(options.format)
    guard !events || dryRun else {
      throw ValidationError("--events shows what would be appended; it goes with --dry-run")
    }
    guard condition == nil || table.count == 1 else {
      throw ValidationError("--where is a condition on the rows of one table; name it with --table")
    }
  }

  func run() async throws {
    try await run(KnownKinds.current.kind(of: options.directory))
  }

  private func run<Kind: CatalogKind>(_ kind: Kind) async throws {
    let console = Console.current
    try requireKnown(in: kind)
    let part = RevertPart(tables: table, columns: column, condition: condition)
    if dryRun || script.sql {
      try await options.withCatalog(of: kind) { catalog in
        let draft = try await Blocking.run {
          try catalog.rehearsedRevert(operation, part, reason: cause.reason, isForced: force)
        }
        let output = RevertOutput(draft, kind, nil, self, isWhole: detail.all)
        if events {
          for line in try catalog.lines(of: draft) { console.write(line) }
          var values = ValueExcerpts(isWhole: detail.all)
          for line in LaterValues.lines(of: draft.overwritten, &values) {
            console.error("later values would go: \(line)")
          }
          let staying = output.staying
          if staying > 0 {
            console.error(
              "\(Count.of(staying, "row")) \(staying == 1 ? "stays" : "stay"), whole or in part; without --events they are listed"
            )
          }
          return try output.throwExitStatus(console)
        }
        if script.sql { return try output.writeScript(of: kind, to: console) }
        try write(output, to: console)
      }
      return
    }
    let isAnswered = yes || Style.isTerminal(STDIN_FILENO)
    try await options.changeCatalog(of: kind, waiting) { catalog in
      let (draft, change) = try await Blocking.run {
        try catalog.revertNow(
          operation, part, reason: cause.reason, isForced: force, wait: waiting.duration
        ) { draft in
          guard draft.overwritten.isEmpty || isAnswered else {
            throw LaterValues(draft.overwritten)
          }
        }
      }
      try write(RevertOutput(draft, kind, change, self, isWhole: detail.all), to: console)
    }
  }

  /// - Throws: `ValidationError` for a table or a column that the catalog does not have.
  private func requireKnown(in kind: some CatalogKind) throws {
    // If there is no catalog, the revert says that.
    if table.isEmpty && column.isEmpty { return }
    guard let reader = try? options.directory.existingLog() else { return }
    let log = CatalogLog(reader, kind)
    let tables =
      try kind.schema.tables(named: table, of: log) ?? kind.schema.tables.filter { !$0.isOwn }
    for name in column where !tables.contains(where: { $0.index(of: name) != nil }) {
      let known = Set(tables.flatMap(\.columns).map(\.name)).sorted()
      throw ValidationError(
        "no table has a column \"\(name)\"; \(NearMiss.advice(for: name, among: known))")
    }
  }

  private func write(_ output: RevertOutput, to console: Console) throws {
    try console.write(options.format, json: output.json(), text: output.write(to:))
    try output.throwExitStatus(console)
  }
}

/// Shows the effect of a revert, done or planned.
private struct RevertOutput {
  private let operations: [RevertedOperation]
  private let changes: [RowChange]
  private let conflicts: [RevertConflict]
  /// The changes of the tables' description by the operations, which no revert takes back.
  private let descriptions: [String]
  private let overwritten: [OverwrittenRow]
  /// Rows that the operations added and that stay as they are, since columns were named.
  private let added: [AddedRows]
  /// Those that were named.
  private let columns: [String]
  private let events: Int
  private let change: ChangeReport?
  private let schema: Schema
  private let names: RowNames
  private let limit: Int
  private let isWhole: Bool

  init(
    _ draft: RevertDraft<some Sendable>, _ kind: some CatalogKind, _ change: ChangeReport?,
    _ command: RevertCommand, isWhole: Bool
  ) {
    (operations, changes) = (draft.operations, draft.changes)
    conflicts = Self.conflicts(of: draft, kind, isWhole: isWhole)
    (overwritten, added, events) = (draft.overwritten, draft.added, draft.events.count)
    let described = kind as? any SelfDescribingKind
    descriptions = draft.operations.flatMap { operation in
      described?.descriptionChanges(
        in: UInt64(clamping: operation.first)...UInt64(clamping: operation.last)) ?? []
    }
    self.change = change
    schema = kind.schema
    (limit, columns, self.isWhole) = (command.rows, command.column, isWhole)
    names = RowNames(kind.schema, of: draft)
  }

  /// The rows that stay, as people know them, without the notes of which operations are reverted: those follow from the rows. So
  /// do rows of the program's own tables that stay with another row, which is listed itself.
  ///
  /// - Parameter isWhole: whether rows of the program's own tables are listed as they are.
  private static func conflicts(
    of draft: RevertDraft<some Sendable>, _ kind: some CatalogKind, isWhole: Bool
  ) -> [RevertConflict] {
    let listed = isWhole ? draft.conflicts : draft.seenConflicts(in: kind.schema)
    return listed.filter { conflict in
      let isFollower = if case .belongsTo = conflict.reason { conflict.table.isOwn } else { false }
      return conflict.table !== kind.reverted?.description && (isWhole || !isFollower)
    }
  }

  /// How many rows stay, whole or in part.
  var staying: Int { conflicts.count }

  /// Says how many rows stay that the operations added, since columns were named.
  private func writeAdded(to console: Console) {
    for rows in added { console.error(rows.sentence(columns)) }
  }

  /// Says which rows that were added, and which changes of the description stay, and ends the command with status 2 if anything stays
  /// that was to go.
  func throwExitStatus(_ console: Console) throws {
    writeAdded(to: console)
    for line in descriptions {
      console.error(
        "the description of the tables stays: \(line); `\(ProgramName.current) kind change` takes another one"
      )
    }
    if !conflicts.isEmpty || !descriptions.isEmpty { throw Exit(status: .findings) }
  }

  private var words: String {
    operations.count == 1
      ? "operation \(operations[0].operation)"
      : "\(Count.of(operations.count, "operation")), events \(operations.first?.first ?? 0) to "
        + "\(operations.last?.last ?? 0)"
  }

  func write(to console: Console) throws {
    var values = ValueExcerpts(isWhole: isWhole)
    let (shown, leftOut) =
      isWhole ? (changes, OmittedChanges()) : RowChanges.withoutStampsAndOwnTables(changes)
    for (table, changes) in Self.tables(shown) {
      let counts = TableSummary(table, changes)
      console.write("\(table.name): \(counts.words)", as: .heading)
      for line in counts.lines(&values, from: 2) { console.write("  \(line)") }
      for change in changes.prefix(limit) {
        console.write("  \(try RowReport(change, names).line(&values, withStamps: isWhole))")
      }
      if changes.count > limit {
        console.write("  … and \(Count.of(changes.count - limit, "more row")); --rows lists more")
      }
    }
    if !overwritten.isEmpty {
      console.write("later values that \(change == nil ? "would go" : "went"):", as: .heading)
      for line in LaterValues.lines(of: overwritten, &values) { console.write("  \(line)") }
    }
    if !conflicts.isEmpty {
      console.write(
        conflicts.count == 1
          ? "1 row stays as it is, whole or in part:"
          : "\(Count.of(conflicts.count, "row")) stay as they are, whole or in part:",
        as: .heading)
      for conflict in conflicts.prefix(limit) {
        for line in try lines(of: conflict) { console.write("  \(line)") }
      }
      if conflicts.count > limit {
        console.write("  … and \(Count.of(conflicts.count - limit, "more row")); --rows lists more")
      }
    }
    console.write(leftOut, cutValues: values.cut)
    console.write(outcome)
  }

  /// Writes the change as statements for the database that a kind adopted, and what stays to standard error.
  func writeScript(of kind: some CatalogKind, to console: Console) throws {
    let adopted = kind as? any AdoptedKind
    let tables = Self.tables(changes.filter { !$0.table.isOwn }).map { table, changes in
      (
        table: table,
        changes: changes.map { change -> SQLScript.Change in
          (change.before?.map { StoredValue($0) }, change.after?.map { StoredValue($0) })
        }
      )
    }
    let script = try SQLScript(tables) { table in
      // The state that comes back is the one before the operations.
      adopted?.origin(of: table, in: operations.first.map { [UInt64($0.first) - 1] } ?? [])
    }
    let described = kind as? any SelfDescribingKind
    let moved = operations.flatMap {
      described?.movedNames(in: UInt64($0.first)...UInt64($0.last)) ?? []
    }
    console.write(
      document: script.text(
        heading: ["Undoes \(words)."] + moved.map { "Not in this script: \($0)" }))
    var values = ValueExcerpts(isWhole: isWhole)
    for line in LaterValues.lines(of: overwritten, &values) {
      console.error("later values would go: \(line)")
    }
    for conflict in conflicts.prefix(limit) {
      for line in try lines(of: conflict) { console.error("stays as it is: \(line)") }
    }
    if conflicts.count > limit {
      console.error("\(Count.of(conflicts.count - limit, "more row")) stay; --rows lists more")
    }
    writeAdded(to: console)
    if !conflicts.isEmpty { throw Exit(status: .findings) }
  }

  private func lines(of conflict: RevertConflict) throws -> [String] {
    let key = conflict.table.keyWords(conflict.key)
    let name = try names.name(of: conflict.table, conflict.row).map { " (\($0))" } ?? ""
    let cells = conflict.columnNames.map { " \($0.joined(separator: ", "))" } ?? ""
    return [
      "\(conflict.table.name) \(key)\(name)\(cells): \(try conflict.words(in: schema, names))"
    ] + [conflict.reverted, conflict.later].compactMap { $0.map { "  \($0.line)" } }
  }

  private var outcome: String {
    guard let change else {
      return changes.isEmpty
        ? "nothing would be appended: no row that \(words) changed can be restored, or all are as before"
        : "nothing was appended: this is what would be done"
    }
    switch change.outcome {
    case .unchanged:
      return "nothing to undo: no row that \(words) changed can be restored, or all are as before"
    case .applied, .appended:
      return
        "reverted \(words): \(Count.of(change.events, "event")) appended, head \(change.sequence)"
        + (change.failure.map { "; the database does not have them yet: \($0)" } ?? "")
    }
  }

  /// The changes of each table, in the order of the schema.
  private static func tables(
    _ changes: [RowChange]
  ) -> [(table: TableDescription, changes: [RowChange])] {
    Dictionary(grouping: changes, by: \.table.ordinal).sorted { $0.key < $1.key }.map {
      ($0.value[0].table, $0.value)
    }
  }

  // MARK: JSON

  func json() throws -> JSONObject {
    [
      "operations": operations.map {
        [
          "op": $0.operation.description, "firstSequence": $0.first, "lastSequence": $0.last,
        ] as JSONObject
      },
      "outcome": change?.outcome.rawValue ?? "planned", "events": change?.events ?? events,
      "sequence": change?.sequence,
      "tables": try Self.tables(isWhole ? changes : changes.filter { !$0.table.isOwn }).map {
        table, changes -> JSONObject in
        ["table": table.name] + TableSummary(table, changes).jsonWithColumns
          + ["rows": try changes.prefix(limit).map { try RowReport($0, names).json }]
      },
      "overwritten": LaterValues.json(of: overwritten),
      "added": added.isEmpty
        ? nil
        : added.map { rows -> JSONObject in ["table": rows.table.name, "rows": rows.count] },
      "conflictCount": conflicts.count, "conflicts": try conflicts.prefix(limit).map(json),
    ]
  }

  private func json(_ conflict: RevertConflict) throws -> JSONObject {
    [
      "table": conflict.table.name,
      "key": conflict.table.named(key: conflict.key),
      "name": try names.name(of: conflict.table, conflict.row),
      "columns": conflict.columnNames ?? [], "reason": try conflict.words(in: schema, names),
      "reverted": conflict.reverted?.json,
      "later": conflict.later?.json,
    ]
  }
}

extension AddedRows {
  /// Says that the rows stay as they are, whatever was named.
  fileprivate func sentence(_ columns: [String]) -> String {
    let names = columns.filter { table.index(of: $0) != nil }.joined(separator: ", ")
    let (keep, they, go) = count == 1 ? ("keeps its", "it", "goes") : ("keep their", "they", "go")
    return "\(Count.of(count, "row")) of \(table.name) that the operation added \(keep) \(names): "
      + "\(they) had none before; without --column \(they) \(go)"
  }
}

extension RevertConflict {
  /// The names of the columns that stay; nil if the whole row does.
  fileprivate var columnNames: [String]? {
    columns.isEmpty ? nil : columns.map { table.columns[$0].name }
  }
}
