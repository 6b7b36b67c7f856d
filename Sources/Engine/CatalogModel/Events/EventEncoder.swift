/// Writes events in canonical form (`docs/EVENTS.md`).
///
/// Strings must be NFC and free of U+0000, numbers finite: what `TextRules` and the document readers
/// let through. U+0000 and infinities stop the program, since a log that holds them could not be
/// read again.
package struct EventEncoder: Sendable {
  package init() {}

  /// Appends the line of an event of any kind, without the newline that ends it in a log.
  ///
  /// - Parameter payload: writes what the event says.
  /// - Returns: what no log may hold; nil if there is nothing.
  package static func encode(
    _ envelope: EventEnvelope, version: Int64, into bytes: inout [UInt8],
    payload: (inout PayloadWriter) -> Void
  ) -> String? {
    var writer = CanonicalWriter(bytes: [])
    swap(&writer.bytes, &bytes)
    writer.raw("{\"seq\":")
    writer.integer(envelope.sequence)
    writer.raw(",\"at\":")
    writer.string(envelope.at.description)
    writer.raw(",\"type\":")
    writer.string(envelope.type)
    writer.raw(",\"v\":")
    writer.integer(version)
    writer.raw(",\"op\":")
    writer.id(envelope.operation)
    writer.raw(",\"by\":")
    writer.string(envelope.by)
    writer.raw(",\"data\":")
    var data = PayloadWriter(consume writer)
    payload(&data)
    data.finish()
    swap(&data.writer.bytes, &bytes)
    bytes.append(UInt8(ascii: "}"))
    return data.problem
  }
}
