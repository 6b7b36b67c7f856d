import CatalogModel
import CatalogStore
import EventLog
package import Projections
import Support

/// A catalog beside the same catalog without some operations: a replay that leaves them out. Nothing is written to the catalog.
package struct WhatIfReplay: Sendable {
  /// The events that are left out.
  package let range: OperationRange
  /// The catalog at the log's head.
  package let actual: PastDatabase
  /// The catalog at the log's head, had the operations not been carried out.
  package let without: PastDatabase
  /// Later events that contradict the rows for lack of the operations, and do not contradict them in the catalog. Of an event of many
  /// rows each that does.
  package let contradictions: [ProjectionConflict]

  /// Replays the log up to its head, and once more without the operations. The history is not asked: what decides reads the log.
  ///
  /// - Throws: as `OperationRange`.
  package init(_ name: OperationName, in states: PastStates) throws {
    let log = states.log
    let (logID, head) = try log.requireEnd()
    range = try OperationRange(name, in: log)
    let replayed = PastStates(log, progress: states.progress)
    actual = try PastDatabase(.sequence(head.sequence), of: replayed, live: nil)

    // Without the last events, the catalog is the state before them.
    guard range.after != head else {
      without = try PastDatabase(.sequence(range.before.sequence), of: replayed, live: nil)
      contradictions = []
      return
    }
    let rows = try ProjectionRebuild(
      log, through: range.before.sequence, progress: states.progress
    ).fold().rows
    let start = Checkpoint(logID: logID, head: range.after, fingerprint: log.kind.fingerprint)
    // An event that changes nothing in the catalog changes nothing without the operations either, unless all of it can be done.
    let known = Set(try actual.conflicts(after: range.last).map(\.sequence))
    let advance = try EventReplay(log, after: range.after).advance(
      log, from: start, through: head.sequence, dividingAllBut: known, to: rows, states.progress)
    // The table of conflicts has one for each event.
    var events: Set<UInt64> = []
    let conflicts = advance.conflicts.filter { events.insert($0.sequence).inserted }
    without = try PastDatabase(rows, conflicts, advance.checkpoint, of: log.kind)
    contradictions = advance.conflicts.filter { !known.contains($0.sequence) }
  }
}
