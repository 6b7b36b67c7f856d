/// One event with its envelope.
package struct EventRecord: Hashable, Sendable {
  package var sequence: UInt64
  package var at: Timestamp
  /// The same for all events of a batch.
  package var operation: EntityID
  /// What did it: `seed:<seedId>`, `manifest:<packId>`, `download`, `person`, `cli`.
  package var by: String
  package var event: CatalogEvent

  package init(
    sequence: UInt64, at: Timestamp, operation: EntityID, by: String, event: CatalogEvent
  ) {
    self.sequence = sequence
    self.at = at
    self.operation = operation
    self.by = by
    self.event = event
  }
}
