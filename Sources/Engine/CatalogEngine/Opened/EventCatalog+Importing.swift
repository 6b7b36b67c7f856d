import CatalogModel
package import CatalogStore
import EventLog
import Logging
public import Projections

/// The report of an import, with what a kind says besides.
public protocol ImportReporting: Sendable {
  associatedtype Document: Sendable
  var report: ImportReport<Document> { get set }
}

extension ImportReport: ImportReporting {
  public var report: ImportReport {
    get { self }
    set { self = newValue }
  }
}

extension EventCatalog {
  /// Imports documents: appends the events that the plan finds, as one batch, and completes its report. It may begin the catalog.
  ///
  /// ```swift
  /// let report = try await shelf.importing(by: "import:list", document: Array(list.sha256.utf8)) { rows in
  ///   let events = try difference(list, rows)
  ///   let counts = EventCounts(of: events.map(\.name))
  ///   return PlannedChange(events, value: ImportReport(of: [list], events: counts))
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - document: bytes that identify the documents, such as their hashes: the same ones at the same head are the same operation.
  ///     Before anything is appended, all stored bytes of the log are checked (decision 0016).
  ///   - plan: as that of `change`; its value is the report of a dry run.
  ///   - others: as those of `change`.
  /// - Throws: as `change`.
  public func importing<Report: ImportReporting>(
    by: String, document: [UInt8], wait: Duration? = nil, loading tables: [TableDescription] = [],
    planning plan: @escaping @Sendable (ProvedRows) throws -> PlannedChange<Kind.Event, Report>
  ) async throws -> Report {
    try await Blocking.run {
      try self.importNow(by: by, document: document, wait: wait, loading: tables, planning: plan)
    }
  }

  package func importNow<Report: ImportReporting>(
    by: String, document: [UInt8], wait: Duration? = nil, loading tables: [TableDescription],
    planning plan: (ProvedRows) throws -> PlannedChange<Kind.Event, Report>
  ) throws -> Report {
    var (change, found, _) = try changeNow(
      by: by, wait: wait, document: document, loading: tables, summarizes: true, planning: plan)
    found.report.complete(change)
    return found
  }

  /// Finds what `importing` would append to a catalog that is not opened, or not there yet. No file in its folder is created or
  /// changed.
  ///
  /// - Returns: the value of the plan, with the end of the log and the rows that would change. If documents stay reverted, it says in how
  ///   many values they differ.
  /// - Throws: what the plan throws; what `change` throws for events that contradict the rows.
  public static func plannedImport<Report: ImportReporting>(
    in directory: CatalogDirectory, _ kind: Kind, options: OpeningOptions = OpeningOptions(),
    loading tables: [TableDescription] = [],
    planning plan: @escaping @Sendable (ProvedRows) throws -> PlannedChange<Kind.Event, Report>
  ) async throws -> Report {
    try await Blocking.run {
      try plannedImportNow(in: directory, kind, options: options, loading: tables, planning: plan)
    }
  }

  package static func plannedImportNow<Report: ImportReporting>(
    in directory: CatalogDirectory, _ kind: Kind, options: OpeningOptions,
    loading tables: [TableDescription],
    planning plan: (ProvedRows) throws -> PlannedChange<Kind.Event, Report>
  ) throws -> Report {
    var (found, head) = try OpenedCatalog.readProvedAtHead(
      of: directory, kind, options: options, loading: tables
    ) { try plan($0).value }
    found.report.sequence = head?.sequence
    found.report.chain = head?.chain.hex
    let isPlanned = found.report.outcome == .planned
    guard head != nil, isPlanned || found.report.reverted != nil else { return found }
    // Counts, changes and values that are there again are of the same state as the plan: other machines may append meanwhile.
    if try found.report.reverted != nil || hasReverts(in: directory, kind, options) {
      do {
        var planned = try ImportTrial(in: directory, kind, options: options).planned(
          by: "trial", plan)
        planned.report.summary = planned.report.summary.map {
          noting($0, in: directory, kind, after: planned.report.sequence ?? 0, options)
        }
        return planned
      } catch let error as ProjectionError {
        found.report.differing = nil
        options.logger.debug("values that an import makes again are not counted: \(error)")
        return found
      }
    }
    let rehearsed = try rehearseNow(
      in: directory, kind, by: "trial", options: options, loading: tables, summarizes: true,
      planning: plan)
    found = rehearsed.value
    found.report.summary = rehearsed.summary.map {
      noting($0, in: directory, kind, after: rehearsed.sequence, options)
    }
    found.report.sequence = rehearsed.sequence
    found.report.chain = rehearsed.chain
    return found
  }

  /// Whether an operation is reverted now.
  static func hasReverts(
    in directory: CatalogDirectory, _ kind: Kind, _ options: OpeningOptions
  ) throws -> Bool {
    guard let table = kind.reverted else { return false }
    return try !OpenedCatalog.readProvedAtHead(
      of: directory, kind, options: options, loading: []
    ) { try $0.rows(of: table) }.result.isEmpty
  }
}

/// The rows that imports would leave one after the other, each as a batch of its own. No file of the catalog is created or changed.
///
/// A copy of all rows is in memory, which costs a replay of the log.
package final class ImportTrial<Kind: CatalogKind> {
  private let kind: Kind
  private let options: OpeningOptions
  /// Nil if there is no log.
  private let replayed: ReplayedReverts?
  /// The rows after the imports that were planned so far.
  let rows: MemoryRowStore
  /// The last event that the rows have.
  private(set) var sequence: UInt64

  /// - Throws: as `plannedImport`, if the catalog is not in order.
  package init(in directory: CatalogDirectory, _ kind: Kind, options: OpeningOptions) throws {
    (self.kind, self.options) = (kind, options)
    let (reverts, head) = try OpenedCatalog.readProvedAtHead(
      of: directory, kind, options: options, loading: []
    ) { rows in try kind.reverted.map { try rows.rows(of: $0) } ?? [] }
    replayed =
      try head == nil
      ? nil
      : ReplayedReverts(
        CatalogLog(try directory.store(), kind), reverts, through: head?.sequence,
        progress: options.progress)
    rows = replayed?.folded.rows ?? MemoryRowStore(schema: kind.schema)
    sequence = replayed?.folded.checkpoint.sequence ?? 0
  }

  /// Plans an import over the rows that the ones before it left, and applies its events to them.
  ///
  /// - Parameter by: the source of its batch.
  /// - Returns: the value of the plan, with the end of the log as it is.
  package func planned<Report: ImportReporting>(
    by: String, _ plan: (ProvedRows) throws -> PlannedChange<Kind.Event, Report>
  ) throws -> Report {
    let planned = try plan(.replayed(rows))
    var found = planned.value
    found.report.sequence = replayed?.folded.checkpoint.sequence
    found.report.chain = replayed?.folded.checkpoint.head.chain.hex
    if found.report.reverted != nil, let folded = replayed?.folded {
      found.report.differing = try EventCatalog.differingValues(kind, folded, options, planned)
    }
    (found.report.summary, found.report.returned) = try apply(planned.events, by: by)
    return found
  }

  /// Applies the events of an import.
  ///
  /// - Returns: the rows that they change, nil if these are very many or no row was there before; and the values that they make again
  ///   of those that reverts removed.
  func apply(
    _ events: PlannedEvents<Kind.Event>, by: String
  ) throws -> (summary: OperationSummary?, returned: [ReturnedValues]) {
    let at = options.clock.now()
    func apply(to store: some RowStore) throws {
      for event in events {
        sequence += 1
        try kind.apply(
          Recorded(
            sequence: sequence, at: at, operation: EntityID(high: 0, low: 0), by: by, event: event),
          to: store)
      }
    }
    guard sequence > 0, !events.isEmpty else {
      try apply(to: rows)
      return (nil, [])
    }
    let watched = WatchedRows()
    try apply(to: watched.observing(rows))
    let changes = watched.changes
    guard let replayed, replayed.hasReverts, let table = kind.reverted else {
      return (changes.map(OperationSummary.init), [])
    }
    return (
      changes.map(OperationSummary.init),
      replayed.returned(try rows.rows(of: table), by: changes ?? [])
    )
  }
}
