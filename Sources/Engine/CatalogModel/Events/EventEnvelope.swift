/// What every event says, of whatever kind the catalog is: all but its payload.
public struct EventEnvelope: Hashable, Sendable {
  public let sequence: UInt64
  /// The same for all events of a batch, as is `operation`.
  public let at: Timestamp
  /// `item.upserted`.
  public let type: String
  public let operation: EntityID
  /// What did it: `person`, `cli`, `seed:<seedId>`.
  public let by: String

  public init(
    sequence: UInt64, at: Timestamp, type: String, operation: EntityID, by: String
  ) {
    self.sequence = sequence
    self.at = at
    self.type = type
    self.operation = operation
    self.by = by
  }
}
