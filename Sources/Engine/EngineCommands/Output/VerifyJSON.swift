import CatalogEngine
import CatalogStore
import EventLog
import Projections

/// The result of a verification, as JSON.
struct VerifyJSON: Encodable {
  struct Finding: Encodable {
    let subject: String
    let message: String
    let table: String?
    let key: [String: String]?
    let column: String?
    let live: String?
    let expected: String?
    let event: UInt64?
    /// The last event of the batch after which the history differs.
    var batch: UInt64?
  }

  let equal: Bool
  /// The way of verifying: `quick`, `replays`, `thorough` or `history`.
  let level: String
  let sequence: UInt64
  let chain: String
  /// Nil if the verification makes no such digests.
  let schema: String?
  let content: String?
  let tables: Int
  /// Rows that were read; the places of full-text indexes count if they were read.
  let rows: Int64
  /// Events that a replay carried row by row; nil if no replay did.
  let carriedEvents: UInt64?
  let findings: [Finding]
  let unlisted: Int
  let receipt: [String]
  let conflicts: [ConflictJSON]
  /// Conflicts beyond those that are listed.
  let moreConflicts: Int
  /// Rows that refer to rows which do not exist; the first hundred.
  let references: [String]

  init(_ report: QuickVerification.Report) {
    self.init(
      "quick", report.checkpoint, tables: report.tables, rows: report.rows,
      report.findings.map { Finding($0.subject.rawValue, $0.message) },
      conflicts: report.conflicts.map(ConflictJSON.init), more: report.moreConflicts,
      references: report.references.map(\.description))
  }

  init(_ report: HistoryVerification.Report) {
    self.init(
      "history", report.checkpoint, tables: report.tables, rows: report.rows,
      report.findings.map { finding in
        Finding(
          "history", finding.message, table: finding.table ?? finding.row?.table, finding.row,
          batch: finding.batch)
      }, unlisted: report.unlisted)
  }

  private init(
    _ level: String, _ checkpoint: Checkpoint, tables: Int, rows: Int64, _ findings: [Finding],
    unlisted: Int = 0, conflicts: [ConflictJSON] = [], more: Int = 0, references: [String] = [],
    digests: Receipt? = nil, carriedEvents: UInt64? = nil, receipt: [String] = []
  ) {
    equal = findings.isEmpty && receipt.isEmpty
    self.level = level
    (sequence, chain) = (checkpoint.sequence, checkpoint.head.chain.hex)
    (schema, content) = (digests?.schema, digests?.content)
    self.carriedEvents = carriedEvents
    self.tables = tables
    self.rows = rows
    self.findings = findings
    self.unlisted = unlisted
    self.receipt = receipt
    self.conflicts = conflicts
    moreConflicts = more
    self.references = references
  }

  init(_ report: Verification.Report, _ against: [String], isThorough: Bool) {
    let live = report.live
    self.init(
      isThorough ? "thorough" : "replays", live.checkpoint, tables: live.tables.count,
      rows: live.tables.reduce(0) { $0 + Int64($1.rows) },
      report.findings.map { finding in
        Finding(
          finding.subject.rawValue, finding.message, table: finding.row?.table, finding.row,
          event: finding.event?.sequence)
      }, unlisted: report.unlisted, conflicts: report.conflicts.map(ConflictJSON.init),
      references: report.references.map(\.description), digests: live,
      carriedEvents: VerifyCommand.carried(of: live.checkpoint.sequence, isThorough),
      receipt: against)
  }
}

extension VerifyJSON.Finding {
  init(
    _ subject: String, _ message: String, table: String? = nil, _ row: RowDifference? = nil,
    event: UInt64? = nil, batch: UInt64? = nil
  ) {
    var column: String?
    var live: String?
    var expected: String?
    if case .changed(let name, let value, let should) = row?.kind {
      column = name
      live = value.description
      expected = should.description
    }
    self.init(
      subject: subject, message: message, table: table,
      key: row.map { row in
        Dictionary(
          zip(row.keyColumns, row.key.map(\.description)), uniquingKeysWith: { first, _ in first })
      },
      column: column, live: live, expected: expected, event: event, batch: batch)
  }
}

struct ConflictJSON: Encodable {
  let sequence: UInt64
  let type: String
  let message: String

  init(_ conflict: ProjectionConflict) {
    sequence = conflict.sequence
    type = conflict.type
    message = conflict.message
  }
}
