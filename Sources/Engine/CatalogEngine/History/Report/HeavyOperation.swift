package import CatalogModel
package import EventLog

/// A batch that is among the largest.
package struct HeavyOperation: Sendable {
  package let info: BatchInfo
  /// The time, source and operation of its events.
  package let at: Timestamp
  package let by: String
  package let operation: EntityID
  /// Most events first.
  package let types: [EventCount]
}

/// Keeps the batches with the most bytes and those with the most events.
struct HeavyOperations {
  /// How many of each.
  private static let count = 10

  private var kept: [HeavyOperation] = []

  mutating func add(_ info: BatchInfo, _ tally: EventTally) {
    guard let origin = tally.origin else { return }
    kept.append(
      HeavyOperation(
        info: info, at: origin.at, by: origin.by, operation: origin.operation,
        types: EventCount.ordered(tally.types)))
    // Sorting now and then, not for each batch: a log may have a million of one event each.
    if kept.count > 20 * Self.count { kept = Self.heaviest(kept) }
  }

  /// Most bytes first.
  func finish() -> [HeavyOperation] {
    Self.heaviest(kept)
  }

  private static func heaviest(_ operations: [HeavyOperation]) -> [HeavyOperation] {
    let byBytes = top(operations) { $0.info.plainLength }
    let byEvents = top(operations) { $0.info.eventCount }
    let chosen = Set((byBytes + byEvents).map(\.info.firstSequence))
    return sorted(operations.filter { chosen.contains($0.info.firstSequence) }) {
      $0.info.plainLength
    }
  }

  private static func top(
    _ operations: [HeavyOperation], by weight: (HeavyOperation) -> UInt64
  ) -> ArraySlice<HeavyOperation> {
    sorted(operations, by: weight).prefix(count)
  }

  private static func sorted(
    _ operations: [HeavyOperation], by weight: (HeavyOperation) -> UInt64
  ) -> [HeavyOperation] {
    operations.sorted {
      (weight($1), $0.info.firstSequence) < (weight($0), $1.info.firstSequence)
    }
  }
}
