package import CatalogModel
package import EventLog
package import Projections

/// Applies the events of one log to rows, and gathers those that contradict them.
///
/// A log begins with the event that says what it is a log of. Whatever else a log holds is carried out or is a
/// conflict: it never stops a replay.
package final class EventApplier {
  private let logID: EntityID
  private let projector = SoundLibraryProjector()
  /// What was not carried out since `takeConflicts` was called last.
  private var conflicts: [ProjectionConflict] = []

  package init(_ logID: LogID) {
    self.logID = EntityID(bytes: logID.bytes)
  }

  /// - Throws: `ProjectionError` with `foreign` where the log is not one of a catalog that this program knows; as
  ///   `SoundLibraryProjector.apply`.
  @inline(__always)
  package func apply(
    _ record: EventRecord, texts: ItemTexts? = nil, to store: some RowStore
  ) throws {
    if record.sequence == 1 { try checkBeginning(record) }
    if let conflict = try projector.apply(record, texts: texts, to: store) {
      conflicts.append(conflict)
    }
  }

  /// The conflicts since the last call, in the order of the log.
  package func takeConflicts() -> [ProjectionConflict] {
    defer { conflicts = [] }
    return conflicts
  }

  private func checkBeginning(_ record: EventRecord) throws {
    guard case .catalogCreated(let created) = record.event else {
      var error = ProjectionError(
        .foreign,
        "a log begins with catalog.created, which says what it is a log of; this one does not, and cannot be "
          + "replayed")
      error.sequence = record.sequence
      error.type = record.event.type
      throw error
    }
    if created.logID != logID {
      conflicts.append(
        ProjectionConflict(record, "logId is \(created.logID), and the log's own is \(logID)"))
    }
  }
}
