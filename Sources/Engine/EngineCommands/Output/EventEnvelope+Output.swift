import CatalogModel

extension EventEnvelope {
  /// As a line of text: `event 2996, 2026-01-05T09:00:00.000Z, item.upserted, seed:starter, operation 1318f01b-…`.
  var line: String { "event \(sequence), \(at), \(type), \(by), operation \(operation)" }

  /// As findings name it.
  var json: JSONObject {
    [
      "sequence": sequence, "at": at.description, "type": type, "by": by,
      "op": operation.description,
    ]
  }
}
