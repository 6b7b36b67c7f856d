import CatalogModel

extension CanonicalLineReader {
  /// The event of a canonical line of the newest version; nil for any other.
  static func read(_ line: UnsafeRawBufferPointer, shared: inout Shared) -> EventRecord? {
    var reader = CanonicalLineReader(line)
    guard reader.skip("{\"seq\":"), let sequence = reader.magnitude(), reader.skip(",\"at\":\""),
      let at = reader.timestamp(&shared), let type = reader.type(),
      let operation = reader.idCharacters(), reader.skip("\",\"by\":"),
      let by = reader.string(cachedIn: &shared.by), reader.skip(",\"data\":{"),
      let event = reader.payload(type, shared: &shared), reader.skip("}}"),
      reader.position == reader.bytes.count
    else { return nil }
    return EventRecord(sequence: sequence, at: at, operation: operation, by: by, event: event)
  }

  mutating func type() -> EventType? {
    for part in EventType.canonicalParts where skip(part.bytes) { return part.type }
    return nil
  }
}
