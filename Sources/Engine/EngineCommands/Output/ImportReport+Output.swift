public import CatalogEngine
public import Projections

extension Console {
  /// Writes what an import did, or would do: its events, the changed rows, and what stays reverted.
  ///
  /// - Parameters:
  ///   - subject: what was imported, before the line; empty if other lines say it.
  ///   - obstacle: why `--take-reverted` alone does not take a document that stays reverted; nil if it does.
  public func write(
    _ report: ImportReport<some Sendable>, of subject: String = "", unless obstacle: String? = nil
  ) {
    write(report.outcome, of: subject, types: report.events)
    write(changesOf: report.summary, report.outcome, through: report.sequence)
    write(report.reverted, differing: report.differing, unless: obstacle)
    write(report.returned, report.outcome, by: report.eventRange)
  }

  /// Writes what an import appended, or would append: one line, and a line for each type of event.
  ///
  /// - Parameters:
  ///   - subject: what was imported, before the line; empty if other lines say it.
  ///   - types: the events, in the order of the lines.
  public func write(_ outcome: ImportOutcome, of subject: String = "", types: EventCounts) {
    write(outcome, of: subject, events: types.total)
    for (type, count) in types {
      let number = Count.grouped(count)
      write(number.aligned(to: 12) + "  \(type)")
    }
  }

  /// Writes how many events an import appended, or would append.
  public func write(_ outcome: ImportOutcome, of subject: String = "", events: Int) {
    let events = Count.of(events, "event")
    let verb =
      switch outcome {
      case .unchanged: "nothing new, 0 events"
      case .reverted: "stays reverted, 0 events"
      case .planned: "would append \(events)"
      case .imported: "appended \(events)"
      case .appended: "appended \(events); the database does not have them yet"
      }
    write(subject.isEmpty ? verb : "\(subject): \(verb)")
  }
}

extension Console {
  /// Says why a document stays reverted, and how it is brought back.
  ///
  /// - Parameters:
  ///   - differing: how many values of it differ from the catalog; nil if that is not known.
  ///   - obstacle: why `--take-reverted` alone does not take it; nil if it does.
  public func write(_ reverted: RevertedRow?, differing: Int?, unless obstacle: String? = nil) {
    guard let reverted else { return }
    error(
      "\(reverted); `\(ProgramName.current) revert \(reverted.revertedBy)` takes that revert back")
    let (words, object) =
      switch differing {
      case nil: ("this document differs from the catalog", "it")
      case 0: ("this document differs from the catalog only in records of the program", "them")
      case 1: ("1 value of this document differs from the catalog", "it")
      case let count?:
        ("\(Count.of(count, "value")) of this document differ from the catalog", "them")
      }
    error("stays reverted: \(words); \(obstacle ?? "--take-reverted takes \(object)")")
  }

  /// Says what an import makes again of values that reverts removed, if it is so much that its document may have the mistake that was
  /// reverted. A few of them are changes that were right.
  ///
  /// - Parameters:
  ///   - outcome: of the import.
  ///   - events: those of the import; nil if it is refused.
  public func write(
    _ returned: [ReturnedValues], _ outcome: ImportOutcome, by events: ClosedRange<UInt64>?
  ) {
    for values in returned where values.isConsiderable {
      let tables = values.summary.tables.map { "\($0.name): \($0.wordsWithoutZeros)" }
      let verb = outcome == .planned ? "would make" : "makes"
      error(
        "this import \(verb) \(Count.grouped(values.rows)) of "
          + "\(Count.of(values.revertedRows, "reverted row")) as they were before the revert: "
          + "\(tables.joined(separator: "; ")); "
          + values.sentence(events, isPlanned: outcome == .planned))
    }
  }

  /// Writes what an import did to tables that had rows: how many it added, removed and changed, and in which columns. Nothing
  /// if it only added rows, which its events say.
  ///
  /// - Parameters:
  ///   - summary: nil if the rows are too many to be kept while they change.
  ///   - sequence: the log's last event afterwards; nil if it was a dry run.
  public func write(
    changesOf summary: OperationSummary?, _ outcome: ImportOutcome, through sequence: UInt64?
  ) {
    if summary == nil, [.imported, .appended].contains(outcome), let sequence {
      write("many rows changed; `\(ProgramName.current) show \(sequence)` shows in which columns")
    }
    var values = ValueExcerpts(isWhole: false)
    let tables = summary?.tables ?? []
    guard tables.contains(where: { $0.changed + $0.removed > 0 }) else { return }
    for table in tables where table.added + table.changed + table.removed > 0 {
      write("\(table.name): \(table.words)")
      for line in table.lines(&values) { write("  \(line)") }
    }
  }
}

extension ImportOutcome {
  /// Ends a command with status 1 if the database does not have the events, and with 2 if a dry run found some.
  public func throwExitStatus() throws {
    switch self {
    case .appended: throw Exit(status: .error)
    case .planned: throw Exit(status: .findings)
    case .imported, .unchanged, .reverted: break
    }
  }
}

extension ImportReport {
  /// The events of the import, or those that it would append to the log as it is; nil without any.
  public var eventRange: ClosedRange<UInt64>? {
    let count = UInt64(events.total)
    guard count > 0, let sequence, outcome == .planned || sequence >= count else { return nil }
    return outcome == .planned
      ? sequence + 1...sequence + count : sequence - count + 1...sequence
  }

  /// The JSON of an import, which has the same members for every kind.
  ///
  /// - Parameters:
  ///   - own: further members, which the kind describes.
  ///   - document: the JSON of a document.
  public func json(
    _ own: JSONObject = [:], document: (Document) throws -> JSONObject
  ) rethrows -> JSONObject {
    common + ["documents": try documents.map(document)] + own
  }

  /// The JSON of documents that were imported one after the other, each as a batch.
  ///
  /// - Parameters:
  ///   - reports: at least one.
  ///   - document: the JSON of a document, which is given what its import did, too.
  public static func json(
    ofBatches reports: [ImportReport], document: (Document) throws -> JSONObject
  ) rethrows -> JSONObject {
    var whole = reports[reports.count - 1]
    whole.events = EventCounts()
    for report in reports { whole.events.add(report.events) }
    let order: [ImportOutcome] = [.appended, .planned, .imported, .reverted, .unchanged]
    whole.outcome =
      order.first { outcome in reports.contains { $0.outcome == outcome } } ?? .unchanged
    whole.differing =
      reports.contains { $0.differing == nil }
      ? nil : reports.reduce(0) { $0 + ($1.differing ?? 0) }
    // Changes of several batches cannot be added up by column: each document has its own.
    whole.summary = nil
    whole.returned = []
    let documents = try reports.flatMap { report in
      try report.documents.map { try document($0) + report.common }
    }
    return whole.common + ["documents": documents]
  }

  private var common: JSONObject {
    [
      "outcome": outcome.rawValue, "events": events, "differing": differing,
      "tables": summary?.json,
      "returned": returned.isEmpty ? nil : returned.map(\.json), "sequence": sequence,
      "chain": chain,
    ]
  }
}

extension ReturnedValues {
  /// Whether it is a good part of the revert, or nearly all that the import changes.
  package var isConsiderable: Bool { rows * 5 >= revertedRows || otherRows * 9 <= rows }

  /// The reverted operations, and the command that reverts what the import made of them: then its document stays reverted, too.
  ///
  /// - Parameters:
  ///   - events: those of the import.
  ///   - isPlanned: whether it was a dry run.
  fileprivate func sentence(_ events: ClosedRange<UInt64>?, isPlanned: Bool) -> String {
    let last = reverted[reverted.count - 1]
    let others = reverted.count > 1 ? "\(Count.of(reverted.count - 1, "other operation")) and " : ""
    let operations = "\(others)\(last)"
    guard let events else { return operations }
    let command =
      "`\(ProgramName.current) revert \(events.lowerBound)..\(events.upperBound)\(scope)`"
    let besides = otherRows == 0 ? "" : ", and \(Count.of(otherRows, "other row"))"
    return operations
      + (isPlanned
        ? "; after the import \(command) reverts that\(besides)"
        : "; \(command) reverts that\(besides); --dry-run lists the rows")
  }

  /// Options that leave out what else the import changed, if one column tells it.
  private var scope: String {
    guard let column = summary.onlyColumn else { return "" }
    let table = summary.tables[0].name
    return " --table \(ShellWord.quoted(table)) --column \(ShellWord.quoted(column))"
  }

  /// The revert, and the changes by table.
  fileprivate var json: JSONObject {
    [
      "operations": reverted.map(\.operation.description),
      "revertedBy": reverted[0].revertedBy.description, "reason": reverted[0].reason,
      "firstSequence": reverted[0].first, "lastSequence": reverted[reverted.count - 1].last,
      "rows": rows, "revertedRows": revertedRows, "otherRows": otherRows, "tables": summary.json,
    ]
  }
}
