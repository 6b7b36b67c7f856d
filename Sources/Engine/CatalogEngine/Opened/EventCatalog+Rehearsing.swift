import CatalogModel
package import CatalogStore
import EventLog
import Projections
import Support

/// The outcome of a change that was rehearsed for a dry run.
package struct RehearsedChange<Value: Sendable>: Sendable {
  /// The value of the plan.
  package let value: Value
  /// How many events would be appended.
  package let events: Int
  /// As `ChangeReport` has it.
  package let differing: Int?
  /// As `ChangeReport` has them.
  package let remarks: [String]
  package let sequence: UInt64
  /// The chain hash of the log's head.
  package let chain: String
}

extension EventCatalog {
  /// Plans a change of a catalog that is not opened, and rehearses it as `changeNow` does: what a change refuses, this refuses with the
  /// same error. Nothing is appended, and no file of the catalog is created or changed.
  ///
  /// The log is replayed in memory, so that plan, count and rehearsal are true of one state. The rehearsal needs SQL for the rules: its
  /// rows are a database in a temporary folder.
  ///
  /// - Parameter by: the source of the batch.
  /// - Throws: what the plan throws; `ProjectionError` with `contradiction` if an event, a reference or a rule contradicts the rows;
  ///   `CatalogError` with `changeRefused` for an event that no log may hold.
  package static func rehearseNow<Value: Sendable>(
    in directory: CatalogDirectory, _ kind: Kind, by: String, options: OpeningOptions,
    planning plan: (ProvedRows) throws -> PlannedChange<Kind.Event, Value>
  ) throws -> RehearsedChange<Value> {
    let log = CatalogLog(try directory.store(), kind)
    let folded = try ProjectionRebuild(log, progress: options.progress).fold()
    let planned = try plan(.replayed(folded.rows))
    let differing = try differingValues(kind, folded, options, planned)
    let remarks =
      planned.events.isEmpty ? [] : try rehearse(planned.events, by: by, kind, on: folded, options)
    return RehearsedChange(
      value: planned.value, events: planned.events.count, differing: differing, remarks: remarks,
      sequence: folded.checkpoint.sequence, chain: folded.checkpoint.head.chain.hex)
  }

  /// - Parameter folded: its rows are used up.
  private static func rehearse(
    _ events: PlannedEvents<Kind.Event>, by: String, _ kind: Kind,
    on folded: ProjectionRebuild.FoldedLog, _ options: OpeningOptions
  ) throws -> [String] {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.file("trial.sqlite")
    try BulkWriter(kind.migrations).write(
      folded.rows, checkpoint: folded.checkpoint, conflicts: folded.conflicts, to: path)
    let database = try ProjectionDatabase(path: path, migrations: kind.migrations, readers: .one)
    defer { try? database.close() }
    let head = folded.checkpoint.head
    let at = options.clock.now()
    var remarks: [String] = []
    try database.update(events: UInt64(events.count), isRehearsal: true) { _, store in
      var rehearsal = Rehearsal(kind, folded.checkpoint.logID, after: head)
      var line: [UInt8] = []
      try Rehearsal.translatingDuplicates {
        for (place, event) in events.enumerated() {
          let record = Recorded(
            sequence: head.sequence + 1 + UInt64(place), at: at,
            operation: EntityID(high: 0, low: 0), by: by, event: event)
          try EventBatch.encode(record, kind, into: &line)
          try rehearsal.add(line, to: store)
        }
        try rehearsal.finish(on: store)
      }
      remarks = try checked(store, kind)
      return nil
    }
    return remarks
  }
}
