/// An event with its envelope: what every event of every kind of catalog says.
public struct Recorded<Event> {
  /// Its number in the log, from 1 on.
  public var sequence: UInt64
  /// The same for all events of a batch, as is `operation`.
  public var at: Timestamp
  public var operation: EntityID
  /// What did it: `seed:<seedId>`, `manifest:<packId>`, `download`, `person`, `cli`.
  public var by: String
  public var event: Event

  @inlinable
  public init(
    sequence: UInt64, at: Timestamp, operation: EntityID, by: String, event: Event
  ) {
    self.sequence = sequence
    self.at = at
    self.operation = operation
    self.by = by
    self.event = event
  }
}

extension Recorded {
  /// All but the payload.
  package func makeEnvelope(_ type: String) -> EventEnvelope {
    EventEnvelope(sequence: sequence, at: at, type: type, operation: operation, by: by)
  }
}

extension Recorded: Sendable where Event: Sendable {}
extension Recorded: Equatable where Event: Equatable {}
extension Recorded: Hashable where Event: Hashable {}
