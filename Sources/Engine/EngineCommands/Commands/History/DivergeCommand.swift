import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import EventLog
import Foundation
import Projections

struct DivergeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diverge",
    abstract: "Find the first batch at which two catalogs differ, and the first row.",
    discussion: """
      Compares two folders of catalogs: of two machines, a backup, what two versions of the program made of one log. With \
      one folder, the catalog itself is the other side.

      Either the logs have other events from a batch on, or the logs agree and the rows differ: then two programs made \
      them, or one projector gave two answers. Catalogs of different logs are compared by the values of their rows alone; \
      times that differ are said beside them.

      It compares the sums in both histories, and makes these if they are missing. A history that another version of the \
      program made with the same tables is compared as it is. Exit status 2 if the catalogs differ as far as both go.
      """.examples(
        of: "diverge", "\(ProgramName.current) diverge backup",
        "\(ProgramName.current) diverge one two",
        "\(ProgramName.current) diverge before after --append-only",
        "\(ProgramName.current) diverge before after --append-only --format github"))

  @OptionGroup var location: CatalogLocation

  @Option(
    name: .long,
    help: "Output format; github: annotations of a GitHub workflow, with --append-only.")
  var format: FindingsFormat = .text

  @Flag(
    name: .long,
    help: ArgumentHelp(
      "Only check that the second folder's log has all events of the first one, and perhaps more after them; status 2 if not."
    ))
  var appendOnly = false

  // Every other question about the past has it.
  @Flag(name: .long, help: .hidden)
  var noHistory = false

  @Argument(help: "The folder of a catalog.", completion: .directory)
  var one: String

  @Argument(help: "The folder of another one.", completion: .directory)
  var other: String?

  func validate() throws {
    if noHistory {
      throw ValidationError(
        "diverge compares what two histories keep of every batch; without them, `\(ProgramName.current) diff` compares two "
          + "states")
    }
    if appendOnly, format == .json {
      throw ValidationError("--append-only has its answer in the exit status: leave --format out")
    }
    if !appendOnly, format == .github {
      throw ValidationError("--format github is for --append-only")
    }
    if other != nil, location.catalog != nil {
      throw ValidationError("name two folders, or one and --catalog")
    }
  }

  func run() async throws { try await format.annotating("Catalog log", compare) }

  private func compare() throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    let first = try other == nil ? location.directory : CatalogDirectory(one)
    let second = CatalogDirectory(other ?? one)
    for directory in [first, second] {
      guard !FileManager.default.fileExists(atPath: directory.database),
        try !directory.store().exists()
      else { continue }
      throw CatalogError(
        .noCatalog, "there is no catalog in \(directory.path); \(Self.advice(on: directory.path))")
    }
    if appendOnly { return try checkAppends(from: first, to: second, console) }
    func history(_ directory: CatalogDirectory) throws -> (CatalogHistory, head: UInt64) {
      let log = try KnownKinds.current.log(
        directory.logThatShouldBe(), besides: directory.database)
      let head = try log.head()?.sequence ?? 0
      return (CatalogHistory(directory, log, progress: progress.observer), head)
    }
    let sides = (try history(first), try history(second))
    let divergence = try Divergence(sides.0.0, sides.1.0) { console.write($0) }
    progress.finish()
    let described = [
      Side(path: first.path, found: divergence.one, head: sides.0.head),
      Side(path: second.path, found: divergence.other, head: sides.1.head),
    ]
    try console.write(format.plain, whole: divergence.json(described)) {
      write(divergence, described, to: $0)
    }
    if divergence.verdict != .same { throw Exit(status: .findings) }
  }

  /// Says what to name in the place of something that is no folder of a catalog.
  private static func advice(on path: String) -> String {
    if SharedLogs.isAddress(path) {
      let log = ShellWord.quoted(path)
      return
        "`\(ProgramName.current) copy \(log) FOLDER` copies its log to a folder, to be named here"
    }
    guard CatalogDirectory.isFolderOfSegments(path) else { return "name a folder that has events" }
    return "it has the segments of a log: name the folder in which it is"
  }

  /// Checks that one log continues another one. Neither database nor history is needed.
  private func checkAppends(
    from old: CatalogDirectory, to new: CatalogDirectory, _ console: Console
  ) throws {
    func write(_ level: Annotation.Level, _ message: String) {
      console.write(
        format == .github ? Annotation(level, title: "Catalog log", message).line : message)
    }
    let (before, after) = (try old.existingLog(), try new.existingLog())
    let head = try before.requireEvents().head
    if let fault = try fault(from: before, to: after, old.path, new.path) {
      write(.error, fault)
      throw Exit(status: .findings)
    }
    if let damage = try after.check().findings.first?.error { throw damage }
    let added = try after.requireEvents().head.sequence - head.sequence
    write(
      .notice,
      "\(new.path) continues \(old.path): \(Count.of(added, "event")) after event \(head.sequence)")
  }

  /// Why a log does not continue another one; nil if it does.
  private func fault(
    from before: any LogStore, to after: any LogStore, _ old: String, _ new: String
  ) throws -> String? {
    let ((id, head), (newID, newHead)) = (try before.requireEvents(), try after.requireEvents())
    guard id == newID else { return "\(new) has another log: \(newID), and not \(id)" }
    let isShorter = newHead.sequence < head.sequence
    do {
      _ = try isShorter ? before.cursor(after: newHead) : after.cursor(after: head)
    } catch let error as EventLogError where error.code == .lostEvents {
      return
        "\(new) does not continue \(old): other events come before event \(head.sequence), or at it; "
        + "`\(ProgramName.current) diverge \(ShellWord.quoted(old)) \(ShellWord.quoted(new))` finds the first batch"
    }
    return isShorter
      ? "\(new) ends with event \(newHead.sequence): events up to \(head.sequence) are missing"
      : nil
  }

  /// One of the catalogs, and the last event of its log.
  fileprivate struct Side {
    let path: String
    let found: Divergence.Side
    let head: UInt64
  }

  private func write(_ found: Divergence, _ sides: [Side], to console: Console) {
    for (letter, side) in zip(["A", "B"], sides) {
      let checkpoint = side.found.checkpoint
      let rest =
        checkpoint.sequence < side.head
        ? " of \(side.head), as far as its history goes" : ""
      console.write(
        "\(letter) \(side.path): log \(checkpoint.logID), events 1 to \(checkpoint.sequence)\(rest), projector "
          + "\(checkpoint.fingerprint.description.prefix(12))…")
    }
    console.write(found.words, as: .heading)
    for (letter, side) in zip(["A", "B"], sides) {
      guard let batch = side.found.batch else { continue }
      let (range, event) = (batch.range, batch.event)
      console.write(
        "\(letter): events \(range.firstSequence) to \(range.lastSequence), \(event.at), \(event.by), operation "
          + "\(event.operation)")
      for words in batch.types.wordsByName { console.write("    \(words)") }
      for step in batch.steps {
        let table = TableSummary(found.tables[step.table], step)
        console.write("    \(table.name): \(table.words)")
      }
    }
    if let row = found.row {
      write(row, to: console)
    } else if found.verdict == .log {
      console.write("both batches made the same rows")
    } else if found.verdict == .rows {
      console.write(
        "the sums differ, and the rows do not: a history was changed; `\(ProgramName.current) history make --again` makes one "
          + "again")
    }
  }

  private func write(_ row: Divergence.FirstRow, to console: Console) {
    var values = ValueExcerpts(isWhole: true)
    let name = row.name.map { " (\($0))" } ?? ""
    let key = row.table.keyWords(row.key)
    console.write("first row: \(row.table.name) \(key)\(name)", as: .heading)
    for (letter, cells, event) in [("A", row.one, row.oneEvent), ("B", row.other, row.otherEvent)] {
      let text =
        cells.map { values.cells(row.columns, of: $0.map { StoredValue($0) }, in: row.table) }
        ?? "no such row"
      console.write("  \(letter): \(text)")
      console.write("    \(event?.line ?? "no event wrote it")")
    }
  }
}

// MARK: JSON

extension Divergence {
  fileprivate func json(_ sides: [DivergeCommand.Side]) -> JSONObject {
    [
      "verdict": verdict.rawValue, "sameLog": isSameLog, "sameThrough": sameThrough,
      "commonEvents": commonEvents, "timesDifferFrom": timesDifferFrom,
      "sides": sides.map { $0.json(tables) }, "row": row?.json,
    ]
  }
}

extension DivergeCommand.Side {
  fileprivate func json(_ tables: [TableDescription]) -> JSONObject {
    [
      "catalog": path, "log": found.checkpoint.logID.description,
      // The last event that is compared, and the last one of the log.
      "sequence": found.checkpoint.sequence, "head": head,
      "projector": found.checkpoint.fingerprint.description, "batch": found.batch?.json(tables),
    ]
  }
}

extension Divergence.Batch {
  fileprivate func json(_ tables: [TableDescription]) -> JSONObject {
    [
      "firstSequence": range.firstSequence, "lastSequence": range.lastSequence,
      "at": event.at.description, "by": event.by, "op": event.operation.description,
      "types": types,
      "tables": steps.map { step -> JSONObject in
        ["table": tables[step.table].name] + TableSummary(tables[step.table], step).json
      },
    ]
  }
}

extension Divergence.FirstRow {
  fileprivate var json: JSONObject {
    let sides = [(one, oneEvent), (other, otherEvent)].map { cells, event -> JSONObject in
      [
        "values": cells.map { table.named(columns, $0.map { StoredValue($0) }) },
        "event": event?.json,
      ]
    }
    // The name is that of the row.
    return ["table": table.name, "key": table.named(key: key), "name": name, "sides": sides]
  }
}
