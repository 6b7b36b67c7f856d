package import CatalogModel
package import EventLog
package import Projections
import Support

/// Applies the events of one log to rows, and gathers those that contradict them.
///
/// A log begins with the event that says what it is a log of. Whatever else a log holds is carried out or is a
/// conflict: it never stops a replay.
package final class EventApplier {
  /// The log whose events it applies.
  let log: LogID
  private let logID: EntityID
  private let kind: any CatalogKind
  /// Carries out parts of events; nil if an event is carried out as a whole or not at all.
  private let divisible: (any DivisibleKind)?
  /// The sequences of events that are carried out as a whole or not at all in any case.
  private let whole: Set<UInt64>
  /// What was not carried out since `takeConflicts` was called last.
  private var conflicts: [ProjectionConflict] = []

  /// - Parameter whole: of an event that contradicts the rows, the changes of other rows are carried out, but for the events with
  ///   these sequences. No rows of a catalog come from such a replay; nil carries out no part of any event.
  package init(
    _ logID: LogID, _ kind: any CatalogKind, dividingAllBut whole: Set<UInt64>? = nil
  ) {
    log = logID
    divisible = whole == nil ? nil : kind as? any DivisibleKind
    self.whole = whole ?? []
    self.logID = EntityID(bytes: logID.bytes)
    self.kind = kind
  }

  /// Applies events of a block, one after the other.
  ///
  /// - Parameter willApply: called with each event before its rows change.
  /// - Throws: `ProjectionError` with `foreign` if the log is not one of this kind; as `CatalogKind.apply`.
  package func apply(
    _ block: any EventBlock, _ range: Range<Int>, to store: some RowStore,
    willApply: ((EventEnvelope) -> Void)? = nil
  ) throws {
    if let first = range.first, block.sequence(at: first) == 1 {
      try checkBeginning(block, first)
    }
    guard let divisible else {
      return try kind.apply(block, range, to: store, willApply: willApply, conflicts: &conflicts)
    }
    for place in range {
      let known = conflicts.count
      try kind.apply(
        block, place..<place + 1, to: store, willApply: willApply, conflicts: &conflicts)
      if conflicts.count > known, !whole.contains(block.sequence(at: place)),
        let parts = try divisible.applyParts(of: block, at: place, to: store)
      {
        conflicts.replaceSubrange(known..., with: parts)
      }
    }
  }

  /// The conflicts since the last call, in the order of the log.
  package func takeConflicts() -> [ProjectionConflict] {
    defer { conflicts = [] }
    return conflicts
  }

  private func checkBeginning(_ block: any EventBlock, _ place: Int) throws {
    let event = block.envelope(at: place)
    func refuse(_ message: ErrorMessage) -> ProjectionError {
      var error = ProjectionError(.foreign, message)
      error.sequence = event.sequence
      error.type = event.type
      return error
    }
    guard let created = block.beginning(at: place) else {
      throw refuse(
        "a log begins with catalog.created, which says what it is a log of; this one does not, and cannot be "
          + "replayed")
    }
    guard created.kind == kind.name else {
      throw refuse(
        "this is a catalog of kind \"\(JSONExcerpt.printable(created.kind))\"; this program knows \"\(kind.name)\""
      )
    }
    guard created.layout == kind.layout else {
      throw refuse(
        "this catalog has layout \(created.layout); this program knows layout \(kind.layout)")
    }
    if created.logID != logID {
      conflicts.append(
        ProjectionConflict(
          sequence: event.sequence, type: event.type,
          message: "logId is \(created.logID), and the log's own is \(logID)"))
    }
  }
}
