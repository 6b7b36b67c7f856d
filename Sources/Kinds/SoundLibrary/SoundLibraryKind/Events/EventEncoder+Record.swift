package import CatalogModel

extension EventEncoder {
  /// Appends one line, without the newline that ends it in a log. Nothing is allocated but what
  /// `bytes` needs to grow.
  package func encode(_ record: EventRecord, into bytes: inout [UInt8]) {
    var writer = CanonicalWriter(bytes: [])
    swap(&writer.bytes, &bytes)
    defer { swap(&writer.bytes, &bytes) }
    writer.raw("{\"seq\":")
    writer.integer(record.sequence)
    writer.raw(",\"at\":\"")
    var at = record.at.description
    at.withUTF8 { writer.bytes.append(contentsOf: $0) }
    writer.bytes.append(contentsOf: record.event.eventType.canonicalPart)
    writer.idCharacters(record.operation)
    writer.raw("\",\"by\":")
    writer.string(record.by)
    writer.raw(",\"data\":")
    writer.payload(record.event)
    writer.raw("}")
  }

  /// The line of one event.
  package func encode(_ record: EventRecord) -> [UInt8] {
    var bytes: [UInt8] = []
    encode(record, into: &bytes)
    return bytes
  }
}
