import CatalogEngine
import CatalogModel
import CatalogStore
import Projections

/// The events that bring a catalog to what documents have.
struct ImportPlan: Sendable {
  private(set) var events: PlannedEvents<TableEvent>
  /// How many rows the events change.
  let rowCount: Int
  private(set) var documents: [TableImportReport.Document] = []
  /// The operation that was reverted, if a document stays so.
  private(set) var reverted: RevertedRow?
  /// The events of the documents that stay reverted; nil if none does.
  private(set) var alternative: PlannedEvents<TableEvent>?
  /// In which columns the events change rows.
  private(set) var summary: OperationSummary?

  init(
    _ loaded: [LoadedDocument], _ program: KindProgram, _ rows: ProvedRows,
    _ permissions: TableImporter.Permissions, asked: SourceRows? = nil
  ) throws {
    var refusals: [RemovalRefusal.Table] = []
    var changed: [(ordinal: Int, summary: TableSummary)] = []
    var events: [PlannedEvents<TableEvent>] = []
    var staying: [PlannedEvents<TableEvent>] = []
    var rowCount = 0
    var allPlans: [(document: TableDocument, plan: TablePlan)] = []
    for document in loaded {
      if !permissions.older { try document.source.requireNotOlder(rows, program) }
      var earlierName: String?
      let plans = try document.document.tables.map { documentRows in
        guard let compiled = program.table(documentRows.table.name) else {
          preconditionFailure("\(documentRows.table.name) is not a table of the kind")
        }
        let earlier = try rows.row(of: program.sources, key: compiled.table.name)
        earlierName = earlierName ?? earlier?.name
        let plan = try TablePlan(
          documentRows, of: document.document, in: compiled, rows, earlier, asked: asked)
        if !plan.difference.isEmpty {
          changed.append((compiled.table.ordinal, TableSummary(plan.difference)))
        }
        return plan
      }
      allPlans += plans.map { (document.document, $0) }
      let limit =
        program.description.document(document.source.name)?.removed ?? .standard
      if !permissions.removal {
        let isFile = !document.source.file.isDatabase
        refusals += plans.compactMap { $0.difference.refusal(limit, isFile: isFile) }.map {
          RemovalRefusal.Table(document.source.file.name, $0)
        }
      }
      let changes = PlannedEvents(joining: plans.map(\.events))
      var staysReverted = false
      if !changes.isEmpty {
        if !permissions.reverted,
          let row = try rows.reverted(document: document.document.sha256, in: program.reverted)
        {
          reverted = row
          staysReverted = true
          staying.append(changes)
        }
        events += [PlannedEvents([.sourceRead(SourceRead(document, plans))]), changes]
        rowCount += plans.reduce(0) { $0 + $1.difference.rowCount }
      }
      documents.append(
        TableImportReport.Document(
          document, plans, earlier: earlierName, staysReverted: staysReverted))
    }
    if !refusals.isEmpty { throw RemovalRefusal(tables: refusals) }
    if reverted == nil {
      let faults = try allPlans.compactMap { document, plan in
        try program.table(plan.difference.rows.table.name).flatMap {
          try UniqueCheck.fault(plan.difference, of: document, in: $0, rows)
        }
      }
      if let error = DocumentError(joining: faults) { throw error }
    }
    self.events = reverted == nil ? PlannedEvents(joining: events) : PlannedEvents()
    if reverted != nil { alternative = PlannedEvents(joining: staying) }
    if permissions.reverted, !self.events.isEmpty,
      let taken = try rows.taken(
        documents: Set(loaded.map(\.document.sha256)), in: program.reverted)
    {
      self.events = PlannedEvents(joining: [self.events, PlannedEvents([.reversal(taken)])])
    }
    self.rowCount = rowCount
    if !self.events.isEmpty {
      summary = OperationSummary(changed.sorted { $0.ordinal < $1.ordinal }.map(\.summary))
    }
  }
}

/// The refusal of documents after which tables would lack too many rows.
public struct RemovalRefusal: Error, Hashable, Sendable {
  public struct Table: Hashable, Sendable {
    /// The document, as the caller named it.
    public let file: String
    public let table: String
    /// How many rows would go.
    public let removed: Int
    /// How many rows the table has.
    public let present: Int
    /// `2,940 of 5,104 rows of products would go`
    public let sentence: String

    init(_ file: String, _ refusal: TableDifference.Refusal) {
      self.file = file
      table = refusal.table
      removed = refusal.removed
      present = refusal.present
      sentence = refusal.sentence
    }
  }

  public let tables: [Table]
}

extension SourceRead {
  init(_ loaded: LoadedDocument, _ plans: [TablePlan]) {
    let document = loaded.document
    self.init(
      name: NormalForm.nfc(document.source),
      document: loaded.isDescribed ? loaded.source.name : nil,
      format: document.format, bytes: Int64(document.size), sha256: document.sha256,
      modified: document.modified,
      reading: loaded.source.reading
        + (document.endsWithLineEnd == true ? ImportSource.lineEndMark : ""),
      tables: plans.map {
        TableCounts(
          $0.difference.rows.table.name, rows: Int64($0.rowCount),
          new: Int64($0.difference.added.count), changed: Int64($0.difference.changedCount),
          gone: Int64($0.difference.removed.count))
      },
      warnings: document.setAside.map { "\($0.table), line \($0.line): \($0.reason)" }
        .map(NormalForm.nfc),
      reason: loaded.source.reason.map(NormalForm.nfc))
  }
}
