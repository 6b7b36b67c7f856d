package import CatalogModel

/// An event of a sound library with its envelope.
package typealias EventRecord = Recorded<CatalogEvent>

extension EventRecord {
  package var envelope: EventEnvelope {
    EventEnvelope(sequence: sequence, at: at, type: event.type, operation: operation, by: by)
  }
}
