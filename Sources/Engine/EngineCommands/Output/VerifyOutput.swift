import CatalogEngine
import CatalogStore
import EventLog
import Projections

/// The answer of a verification: for a person, for a program, and as annotations.
struct VerifyOutput {
  /// A line about a difference, or about what is no difference.
  fileprivate struct Line {
    let text: [String]
    /// Nil if a workflow does not show it.
    let annotation: Annotation?

    init(_ text: String..., annotation: Annotation? = nil) {
      (self.text, self.annotation) = (text, annotation)
    }
  }

  private let lines: [Line]
  private let verdict: String
  /// Lines after the verdict of a catalog without a difference.
  private let digests: [String]
  private let isEqual: Bool
  private let json: JSONObject

  /// - Throws: what ends the command with status 2 if there is a difference.
  func write(_ format: FindingsFormat, to console: Console) throws {
    switch format {
    case .text:
      for text in lines.flatMap(\.text) + [verdict] + (isEqual ? digests : []) {
        console.write(text)
      }
    case .json: try console.write(json: json)
    case .github:
      for annotation in lines.compactMap(\.annotation) { console.write(annotation.line) }
      console.write(Annotation(isEqual ? .notice : .error, title: "Catalog", verdict).line)
    }
    if !isEqual { throw Exit(status: .findings) }
  }

  private static func unlisted(_ count: Int, annotation: Annotation? = nil) -> [Line] {
    guard count > 0 else { return [] }
    return [
      Line(
        "… and \(Count.of(count, "more difference")); --rows lists more", annotation: annotation)
    ]
  }

  /// Lines about no difference: conflicts, and rows that refer to no row.
  private static func notes(
    _ conflicts: some Sequence<ProjectionConflict>, more: Int, _ references: [DanglingReference]
  ) -> [Line] {
    let rest: ErrorMessage =
      "… and \(Count.of(more, "more conflict")); \(do: .listContradictions) lists all"
    return conflicts.map { Line("conflict: \($0)") } + (more > 0 ? [Line("\(rest)")] : [])
      + references.map { Line("reference: \($0)") }
  }
}

// MARK: The three ways of verifying

extension VerifyOutput {
  init(_ report: QuickVerification.Report) {
    isEqual = report.findings.isEmpty
    lines =
      report.findings.map { Line($0) }
      + Self.notes(report.conflicts, more: report.moreConflicts, report.references)
    verdict =
      isEqual
      ? "verified quickly: the live database matches its running digests: "
        + "\(Count.of(report.checkpoint.sequence, "event")), "
        + "\(Count.of(report.tables, "table")), \(Count.of(Int(report.rows), "row"))"
      : "\(Count.of(report.findings.count, "difference")); `\(ProgramName.current) verify` shows rows, "
        + Self.rebuilding
    digests = []
    json = Self.json(
      "quick", report.checkpoint, tables: report.tables, rows: report.rows,
      report.findings.map(\.json), conflicts: report.conflicts, more: report.moreConflicts,
      references: report.references)
  }

  init(_ report: HistoryVerification.Report) {
    isEqual = report.findings.isEmpty
    lines =
      report.findings.map {
        Line(
          "history: \($0.message)",
          annotation: Annotation(.error, title: "Catalog history", $0.message))
      } + Self.unlisted(report.unlisted)
    let rest =
      report.missing == 0
      ? "" : "; it lacks \(Count.of(report.missing, "event")), so the live rows were not compared"
    verdict =
      isEqual
      ? "verified: the history is what the log makes: "
        + "\(Count.of(report.checkpoint.sequence, "event")), \(Count.of(report.tables, "table")), "
        + "\(Count.of(report.rows, "row"))\(rest)"
      : "\(Count.of(report.findings.count + report.unlisted, "difference")); `\(ProgramName.current) history make --again` makes "
        + "the history again"
    digests = []
    json = Self.json(
      "history", report.checkpoint, tables: report.tables, rows: report.rows,
      report.findings.map(\.json), unlisted: report.unlisted)
  }

  /// - Parameters:
  ///   - against: differences from a receipt, and its file.
  ///   - age: of the receipt, beside the log.
  ///   - rows: how many conflicts are listed as text.
  init(
    _ report: Verification.Report, _ against: [String], of receipt: String?, of age: ReceiptAge?,
    isThorough: Bool, rows limit: Int
  ) {
    isEqual = report.findings.isEmpty && against.isEmpty
    let unlisted = Annotation(
      .error, title: "Catalog", "\(Count.of(report.unlisted, "more difference")) not listed")
    lines =
      report.findings.map { Line($0) } + Self.unlisted(report.unlisted, annotation: unlisted)
      + against.map {
        Line(
          "receipt: \($0)",
          annotation: Annotation(.error, title: "Catalog receipt", $0, file: receipt))
      }
      + Self.notes(
        report.conflicts.prefix(limit), more: report.conflicts.count - limit, report.references)
    let live = report.live
    let carried =
      isThorough
      ? live.checkpoint.sequence : IncrementalReplay.events(of: live.checkpoint.sequence)
    let rows = live.tables.reduce(0) { $0 + Int64($1.rows) }
    verdict =
      isEqual
      ? Self.verdict(live.checkpoint.sequence, carried: carried, tables: live.tables.count, rows)
      // A receipt is of another log or another revision: no rebuild makes that one.
      : Count.of(report.findings.count + report.unlisted + against.count, "difference")
        + (report.findings.isEmpty
          ? Self.advice(on: receipt, of: age) : "; \(Self.rebuilding)")
    digests = ["schema  \(live.schema)", "content \(live.content)"]
    json = Self.json(
      isThorough ? "thorough" : "replays", live.checkpoint, tables: live.tables.count, rows: rows,
      report.findings.map(\.json), unlisted: report.unlisted, conflicts: report.conflicts,
      references: report.references, digests: live, carriedEvents: carried, receipt: against)
  }

  private static func verdict(
    _ events: UInt64, carried: UInt64, tables: Int, _ rows: Int64
  ) -> String {
    let extent =
      carried < events ? " (the last \(Count.grouped(carried)) row by row)" : ""
    return "verified: two replays and the live database are identical: "
      + "\(Count.of(events, "event"))\(extent), "
      + "\(Count.of(tables, "table")), \(Count.of(rows, "row"))"
  }

  /// The age of a receipt beside the log.
  enum ReceiptAge {
    /// The log has all its events, and so many more.
    case older(by: UInt64)
    /// The log ends so many events before it.
    case newer(by: UInt64)
  }

  /// Says that a receipt is older than the catalog, and nothing worse, or newer; empty if it is neither.
  private static func advice(on receipt: String?, of age: ReceiptAge?) -> String {
    guard let receipt else { return "" }
    switch age {
    case .older(let count)?:
      // Standard input has no name to write to.
      let command =
        receipt == DocumentFile.standardInputName
        ? "`\(ProgramName.current) receipt` writes a new one"
        : "`\(ProgramName.current) receipt > \(ShellWord.quoted(receipt))` writes it again"
      return
        "; the log has all events of the receipt, and \(Count.of(count, "event")) since: \(command)"
    case .newer(let count)?:
      return
        "; the receipt counts \(Count.of(count, "event")) that the log lacks: commit or restore the log with them"
    case nil: return ""
    }
  }

  private static var rebuilding: String {
    "`\(ProgramName.current) rebuild --keep-old FILE` keeps a copy of the database and rebuilds it"
  }
}

extension VerifyOutput.Line {
  /// A difference, and the event that wrote its row.
  fileprivate init(_ finding: VerificationFinding) {
    let writer =
      finding.event.map {
        "last written by event \($0.sequence), \($0.at), \($0.type), \($0.by)"
      } ?? "no event wrote this row"
    let hasRow = finding.row != nil
    text =
      ["\(finding.subject.rawValue): \(finding.message)"] + (hasRow ? ["      \(writer)"] : [])
    annotation = Annotation(
      .error, title: "Catalog \(finding.subject.rawValue)",
      finding.message + (hasRow ? "; \(writer)" : ""))
  }
}

// MARK: JSON

extension VerifyOutput {
  private static func json(
    _ level: String, _ checkpoint: Checkpoint, tables: Int, rows: Int64, _ findings: [JSONObject],
    unlisted: Int = 0, conflicts: [ProjectionConflict] = [], more: Int = 0,
    references: [DanglingReference] = [], digests: Receipt? = nil, carriedEvents: UInt64? = nil,
    receipt: [String] = []
  ) -> JSONObject {
    [
      "equal": findings.isEmpty && receipt.isEmpty,
      // The way of verifying: `quick`, `replays`, `thorough` or `history`.
      "level": level,
      "sequence": checkpoint.sequence, "chain": checkpoint.head.chain.hex,
      // Left out if the verification makes no such digests.
      "schema": digests?.schema, "content": digests?.content,
      "tables": tables,
      // Rows that were read; the places of full-text indexes count if they were read.
      "rows": rows,
      // Events that a replay carried row by row; left out if no replay did.
      "carriedEvents": carriedEvents,
      "findings": findings, "unlisted": unlisted, "receipt": receipt,
      "conflicts": conflicts.map(\.json),
      // Conflicts beyond those that are listed.
      "moreConflicts": more,
      // Rows that refer to rows which do not exist; the first hundred.
      "references": references.map(\.description),
    ]
  }
}

extension VerificationFinding {
  fileprivate var json: JSONObject {
    ["subject": subject.rawValue, "message": message, "event": event?.sequence]
      + (row.map { $0.json(of: $0.table) } ?? [:])
  }
}

extension HistoryVerification.Finding {
  fileprivate var json: JSONObject {
    // The batch after which the history differs, by its last event.
    ["subject": "history", "message": message, "batch": batch]
      + (row.map { $0.json(of: table ?? $0.table) } ?? ["table": table])
  }
}

extension RowDifference {
  fileprivate func json(of table: String) -> JSONObject {
    let place: JSONObject = [
      "table": table,
      "key": Dictionary(
        zip(keyColumns, key.map(\.description)), uniquingKeysWith: { first, _ in first }),
    ]
    guard case .changed(let column, let live, let expected) = kind else { return place }
    return place + [
      "column": column, "live": live.description, "expected": expected.description,
    ]
  }
}

extension ProjectionConflict {
  var json: JSONObject { ["sequence": sequence, "type": type, "message": message] }
}
