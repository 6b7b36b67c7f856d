public import CatalogModel

/// A kind whose events are described needs no more than `apply`.
extension CatalogKind where Event: DescribedEvent, EventType == EventName<Event> {
  public func type(of event: Event) -> EventName<Event> { EventName(of: event) }

  public func write(_ event: Event, to data: inout PayloadWriter) {
    EventName(of: event).write(event, to: &data)
  }

  public func read(
    _ type: EventName<Event>, from data: inout PayloadReader
  ) throws(PayloadReader.Problem) -> Event {
    try type.read(from: &data)
  }

  public func read(
    _ type: EventName<Event>, canonical line: inout CanonicalLineReader
  ) -> Event? { type.read(canonical: &line) }

  /// Finds the description once, and not again for the payload.
  public func encode(_ record: Recorded<Event>, into line: inout [UInt8]) -> String? {
    let name = EventName(of: record.event)
    return EventEncoder.encode(
      record.makeEnvelope(name.rawValue), version: name.version, into: &line
    ) { name.write(record.event, to: &$0) }
  }

  public func excess(of record: Recorded<Event>) -> String? {
    Event.vocabulary.excess(of: record.event)
  }
}
