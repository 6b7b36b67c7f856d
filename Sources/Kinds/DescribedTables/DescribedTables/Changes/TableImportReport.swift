public import CatalogEngine
import CatalogModel
package import CatalogStore
import EventLog
import Projections

/// The result of an import of documents into a described catalog. All members of `ImportReport` are its own, too.
@dynamicMemberLookup
public struct TableImportReport: Sendable {
  /// A document, and what it changes.
  public struct Document: Sendable {
    /// As the caller named it.
    public let file: String
    /// The document of the description, or the table.
    public let name: String
    /// Nil if the bytes were not read as rows.
    public let format: String?
    public let bytes: Int
    public let sha256: String
    public let tables: [Table]
    /// Sentences for people.
    public let remarks: [String]
    /// Whether the same bytes were imported last, so that nothing was read.
    public let isKnown: Bool
    /// Whether it stays reverted, and with it all documents of the import.
    public let staysReverted: Bool
  }

  /// A table that a document fills.
  public struct Table: Sendable {
    public let name: String
    /// Rows of the document.
    public let rows: Int
    public let added: Int
    public let changed: Int
    public let removed: Int
    /// The keys of the rows that the document lacks, in the order of the table; of a table without a key all of their values.
    package let removedKeys: [[StoredValue]]
    /// The keys of rows that came from the source of the document and that the document lacks, in the order of the table; nil if it was
    /// not asked for them.
    package let goneFromSource: [[StoredValue]]?
    /// In how many rows each column is new, the most frequent first.
    public let columns: [(name: String, count: Int)]
    /// The most rows that an earlier document removed, if this one removes far more.
    public let mostRemovedBefore: Int?
    /// Whether most keys were replaced by others.
    public let replacesMostKeys: Bool
    /// Columns that identify the same rows before and after, if most keys were replaced.
    public let steadyKey: [String]
    /// Rows in which nothing but times are new, if they are most of the changed ones.
    package let onlySeen: TableDifference.OnlySeen?
    /// Rows that stay as they were, as their rows of the document were set aside.
    public let setAside: Int
  }

  public private(set) var report: ImportReport<Document>
  /// The description that the catalog got first; nil if the documents needed none.
  package let described: DescriptionChange?
  /// Whether the log has another description since.
  package var hasDescribed: Bool {
    described != nil && [.imported, .appended].contains(report.outcome)
  }
  /// Sentences about rules that the rows break afterwards and that are only reported, and about documents that were imported
  /// before.
  public internal(set) var remarks: [String]
  /// The source whose rows it was asked for; nil if it was not.
  package var source: String? = nil
}

extension TableImportReport {
  public subscript<Member>(
    dynamicMember member: KeyPath<ImportReport<Document>, Member>
  ) -> Member { report[keyPath: member] }

  /// The report of documents that have nothing new.
  ///
  /// - Parameter head: the end of the log; nil if there is no log.
  init(unchanged documents: [Document], described: DescriptionChange? = nil, at head: LogHead?) {
    self.init(
      report: ImportReport(of: documents, events: [:]), described: described, remarks: [])
    report.sequence = head?.sequence
    report.chain = head?.chain.hex
  }

  /// The report of a dry run.
  ///
  /// - Parameters:
  ///   - summary: the rows that it would change.
  ///   - returned: what it would make again of values that reverts removed.
  init(
    _ rehearsed: RehearsedChange<ImportPlan>, _ summary: OperationSummary?,
    _ described: DescriptionChange?, _ returned: [ReturnedValues]
  ) {
    let plan = rehearsed.value
    self.init(
      report: ImportReport(of: plan.documents, events: rehearsed.events, reverted: plan.reverted),
      described: plan.reverted == nil ? described : nil, remarks: rehearsed.remarks)
    if plan.reverted != nil { report.differing = rehearsed.differing }
    report.summary = summary
    report.returned = returned
    report.sequence = rehearsed.sequence
    report.chain = rehearsed.chain
  }

  /// The report of an import.
  init(_ plan: ImportPlan, _ change: ChangeReport, _ described: DescriptionChange?) {
    self.init(
      report: ImportReport(of: plan.documents, events: change.types, reverted: plan.reverted),
      described: plan.reverted == nil ? described : nil, remarks: change.remarks)
    report.complete(change)
  }
}

extension TableImportReport {
  /// The head of the log afterwards, or that of a dry run; nil if there is no log.
  package var head: LogHead? {
    guard let sequence = report.sequence, let chain = report.chain.flatMap(ChainHash.init(hex:))
    else { return nil }
    return LogHead(sequence: sequence, chain: chain)
  }
}

extension TableImportReport.Document {
  /// The name of a file without its folder, and without the commit of a version in git.
  private static func name(_ path: String) -> Substring? {
    path.split(whereSeparator: { "/:".contains($0) }).last
  }

  /// - Parameter earlier: the name of the file that was the document before; nil if there was none.
  init(_ loaded: LoadedDocument, _ plans: [TablePlan], earlier: String?, staysReverted: Bool) {
    let document = loaded.document
    var remarks = document.notes
    if loaded.source.file.isDatabase, let earlier,
      Self.name(earlier) != Self.name(document.source)
    {
      remarks.append("\(document.source) is taken as the database that \(earlier) was before")
    }
    for (name, count) in document.passedOver.sorted(by: { ($0.key) < ($1.key) }) {
      remarks.append("\(name) is passed over (\(count))")
    }
    if !document.absentColumns.isEmpty {
      remarks.append(
        "the document does not have \(document.absentColumns.joined(separator: ", ")); these stay as they are"
      )
    }
    for row in document.setAside.prefix(10) {
      remarks.append("\(row.table), line \(row.line) is set aside: \(row.reason)")
    }
    self.init(
      file: document.source, name: loaded.source.name, format: document.format,
      bytes: document.size, sha256: document.sha256,
      tables: plans.map(TableImportReport.Table.init),
      remarks: remarks, isKnown: false, staysReverted: staysReverted)
  }
}

extension TableImportReport.Table {
  init(_ plan: TablePlan) {
    let difference = plan.difference
    self.init(
      name: difference.rows.table.name, rows: plan.rowCount, added: difference.added.count,
      changed: difference.changedCount, removed: difference.removed.count,
      removedKeys: difference.removed.map { $0.key.map { StoredValue($0) } },
      goneFromSource: difference.goneFromSource?.map { $0.map { StoredValue($0) } },
      columns: difference.changesByColumn.map { ($0.column, $0.count) },
      mostRemovedBefore: plan.mostRemovedBefore, replacesMostKeys: difference.replacesMostKeys,
      steadyKey: difference.steadyKey, onlySeen: difference.onlySeen,
      setAside: difference.keptSetAside)
  }
}

extension TableSummary {
  init(_ difference: TableDifference) {
    let commonest = Dictionary(grouping: difference.commonest, by: \.column)
    self.init(
      difference.rows.table.name, added: difference.added.count, removed: difference.removed.count,
      changed: difference.changedCount,
      columns: difference.changesByColumn.compactMap { column, rows in
        // Each changed column has one, whatever its values are.
        guard let frequent = commonest[column] else { return nil }
        return ColumnChanges(
          column: column, rows: rows,
          frequent: frequent.map {
            ColumnChanges.Other(
              before: StoredValue($0.before), after: StoredValue($0.after), rows: $0.count)
          }, difference.patterns[column] ?? PatternTally())
      })
  }
}
