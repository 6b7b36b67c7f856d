import CatalogModel
package import CatalogStore
import EventLog
import Projections
import Support

/// The outcome of a change that was rehearsed for a dry run.
package struct RehearsedChange<Value: Sendable>: Sendable {
  /// The value of the plan.
  package let value: Value
  /// The events that would be appended.
  package let events: EventCounts
  /// As `ChangeReport` has it.
  package let differing: Int?
  /// As `ChangeReport` has them.
  package let remarks: [String]
  /// The rows that would change; nil if the caller did not ask for them, or if they are very many.
  package let summary: OperationSummary?
  package let sequence: UInt64
  /// The chain hash of the log's head.
  package let chain: String
}

extension EventCatalog {
  /// Plans a change of a catalog that is not opened, and rehearses it as `changeNow` does: what a change refuses, this refuses with the
  /// same error. Nothing is appended, and no file of the catalog is created or changed.
  ///
  /// Plan, count and rehearsal are true of one state: of a copy of the database in a temporary folder, which costs a fraction of a replay.
  /// If the database is not at the log's head, or has rows that were changed by hand, and if values are to be counted, the log is
  /// replayed in memory and written to such a database: the rehearsal needs SQL for the rules.
  ///
  /// - Parameters:
  ///   - by: the source of the batch.
  ///   - tables: those whose rows the plan looks at one by one; other tables cannot be read then.
  ///   - summarizes: whether to say which rows would change.
  /// - Throws: what the plan throws; `ProjectionError` with `contradiction` if an event, a reference or a rule contradicts the rows;
  ///   `CatalogError` with `changeRefused` for an event that no log may hold.
  package static func rehearseNow<Value: Sendable>(
    in directory: CatalogDirectory, _ kind: Kind, by: String, options: OpeningOptions,
    loading tables: [TableDescription] = [], summarizes: Bool = false,
    planning plan: (ProvedRows) throws -> PlannedChange<Kind.Event, Value>
  ) throws -> RehearsedChange<Value> {
    let log = CatalogLog(try directory.store(), kind)
    if let rehearsed = try rehearsedOnCopy(
      of: directory, kind, log, by: by, options, loading: tables, summarizes: summarizes,
      planning: plan)
    {
      return rehearsed
    }
    let folded = try ProjectionRebuild(log, progress: options.progress).fold()
    let planned = try plan(.replayed(folded.rows))
    let differing = try differingValues(kind, folded, options, planned)
    var found = RehearsedEvents(summarizes: summarizes)
    if !planned.events.isEmpty {
      try rehearse(planned.events, &found, by: by, kind, on: folded, options)
    }
    return RehearsedChange(
      value: planned.value, events: found.types, differing: differing, remarks: found.remarks,
      summary: found.summary, sequence: folded.checkpoint.sequence,
      chain: folded.checkpoint.head.chain.hex)
  }

  /// Plans and rehearses on a copy of the database.
  ///
  /// - Returns: nil if the log has to be replayed.
  private static func rehearsedOnCopy<Value: Sendable>(
    of directory: CatalogDirectory, _ kind: Kind, _ log: CatalogLog, by: String,
    _ options: OpeningOptions, loading tables: [TableDescription], summarizes: Bool,
    planning plan: (ProvedRows) throws -> PlannedChange<Kind.Event, Value>
  ) throws -> RehearsedChange<Value>? {
    guard let head = try log.head(), let logID = try log.logID(),
      let witnesses = HeadEvidence.peek(directory.database),
      case .within(let checkpoint) = try ProjectionStanding(
        witnesses, in: log.reader, for: kind.fingerprint), checkpoint.head == head
    else { return nil }
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.file("trial.sqlite")
    let view = try ProjectionView(
      path: directory.database, migrations: kind.migrations, .settled)
    defer { try? view.close() }
    try view.copy(to: path)
    let database = try ProjectionDatabase(path: path, migrations: kind.migrations, readers: .one)
    defer { try? database.close() }
    // Another process may have written meanwhile.
    guard try database.checkpoint()?.head == head else { return nil }
    let planned: PlannedChange<Kind.Event, Value>
    do {
      planned = try database.readProved(loading: tables, plan)
    } catch let error as StoreError where error.code == .drifted {
      return nil
    }
    guard planned.alternative == nil else { return nil }
    var found = RehearsedEvents(summarizes: summarizes)
    if !planned.events.isEmpty {
      try rehearse(
        planned.events, &found, by: by, kind, on: database, logID, after: head, options)
    }
    return RehearsedChange(
      value: planned.value, events: found.types, differing: nil, remarks: found.remarks,
      summary: found.summary, sequence: head.sequence, chain: head.chain.hex)
  }

  /// - Parameter folded: its rows are used up.
  private static func rehearse(
    _ events: PlannedEvents<Kind.Event>, _ found: inout RehearsedEvents,
    by: String, _ kind: Kind,
    on folded: ProjectionRebuild.FoldedLog, _ options: OpeningOptions
  ) throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.file("trial.sqlite")
    try BulkWriter(kind.migrations).write(
      folded.rows, checkpoint: folded.checkpoint, conflicts: folded.conflicts, to: path)
    let database = try ProjectionDatabase(path: path, migrations: kind.migrations, readers: .one)
    defer { try? database.close() }
    try rehearse(
      events, &found, by: by, kind, on: database, folded.checkpoint.logID,
      after: folded.checkpoint.head, options)
  }

  /// Rehearses events on a database that is thrown away.
  private static func rehearse(
    _ events: PlannedEvents<Kind.Event>, _ found: inout RehearsedEvents,
    by: String, _ kind: Kind, on database: ProjectionDatabase,
    _ logID: LogID, after head: LogHead, _ options: OpeningOptions
  ) throws {
    let at = options.clock.now()
    func rehearse(on store: some RowStore) throws {
      var rehearsal = Rehearsal(kind, logID, after: head)
      var line: [UInt8] = []
      try Rehearsal.translatingDuplicates {
        for (place, event) in events.enumerated() {
          let record = Recorded(
            sequence: head.sequence + 1 + UInt64(place), at: at,
            operation: EntityID(high: 0, low: 0), by: by, event: event)
          try EventBatch.encode(record, kind, into: &line)
          found.types.add(kind.type(of: event).rawValue)
          try rehearsal.add(line, to: store)
        }
        try rehearsal.finish(on: store)
      }
    }
    try database.update(events: UInt64(events.count), isRehearsal: true) { _, store in
      if let watched = found.watched {
        try rehearse(on: watched.observing(store))
      } else {
        try rehearse(on: store)
      }
      found.remarks = try checked(store, kind)
      return nil
    }
  }
}

/// Collects what a rehearsal finds.
private struct RehearsedEvents {
  var types = EventCounts()
  var remarks: [String] = []
  let watched: WatchedRows?

  init(summarizes: Bool) {
    watched = summarizes ? WatchedRows() : nil
  }

  var summary: OperationSummary? { watched?.changes.map(OperationSummary.init) }
}
