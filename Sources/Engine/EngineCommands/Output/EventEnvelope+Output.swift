import CatalogModel

extension EventEnvelope {
  /// As a line of text: `event 2996, 2026-01-05T09:00:00.000Z, item.upserted, seed:starter, operation 1318f01b-…`.
  var line: String { "event \(sequence), \(at), \(type), \(by), operation \(operation)" }
}

/// An event as findings name it, as JSON.
struct EventJSON: Encodable {
  let sequence: UInt64
  let at: String
  let type: String
  let by: String
  let op: String

  init(_ event: EventEnvelope) {
    sequence = event.sequence
    at = event.at.description
    type = event.type
    by = event.by
    op = event.operation.description
  }
}
