/// Reads the envelopes of lines of the log, of whatever kind the catalog is.
///
/// Of a line in canonical form the payload is passed over; any other is parsed whole. So a payload that no kind
/// would accept, or of a type that nobody knows, has an envelope all the same.
///
/// A decoder keeps what neighbouring events share, so use one for many lines.
package struct EnvelopeDecoder {
  private var shared = CanonicalLineReader.Shared()
  private var types: [CanonicalLineReader.CachedString] = []

  /// A log has few types; what comes beyond these is read each time.
  private static let typeLimit = 64

  package init() {}

  /// - Parameter sequence: The number that the event must have.
  /// - Throws: `EventDecodingError`.
  package mutating func decode(
    line: UnsafeRawBufferPointer, expecting sequence: UInt64
  ) throws(EventDecodingError) -> EventEnvelope {
    if let envelope = canonical(line), envelope.sequence == sequence { return envelope }
    let parsed = try EventLine(line: line, expecting: sequence)
    return EventEnvelope(
      sequence: sequence, at: parsed.at, type: parsed.type, operation: parsed.operation,
      by: parsed.by)
  }

  package mutating func decode(
    line: [UInt8], expecting sequence: UInt64
  ) throws(EventDecodingError) -> EventEnvelope {
    try line.withRawBytes { (bytes) throws(EventDecodingError) in
      try decode(line: bytes, expecting: sequence)
    }
  }

  /// A line that begins as our writers make it.
  package struct Beginning {
    package let envelope: EventEnvelope
    /// The version of the event's type.
    package let version: Int64
    /// A reader that is at the first member of the payload.
    package var payload: CanonicalLineReader
  }

  /// The envelope of a line that begins as our writers make it; nil for any other.
  private mutating func canonical(_ line: UnsafeRawBufferPointer) -> EventEnvelope? {
    beginning(of: line)?.envelope
  }

  /// The beginning of a line, up to its payload; nil if it is not as our writers make it.
  package mutating func beginning(of line: UnsafeRawBufferPointer) -> Beginning? {
    var reader = CanonicalLineReader(line)
    guard reader.skip("{\"seq\":"), let sequence = reader.magnitude(), reader.skip(",\"at\":\""),
      let at = reader.timestamp(&shared), reader.skip("\",\"type\":"),
      let type = type(&reader), reader.skip(",\"v\":"), let version = reader.int64(),
      reader.skip(",\"op\":\""), let operation = reader.idCharacters(),
      reader.skip("\",\"by\":"), let by = reader.string(cachedIn: &shared.by),
      reader.skip(",\"data\":{"), line.count - reader.position >= 2,
      line[line.count - 1] == UInt8(ascii: "}"), line[line.count - 2] == UInt8(ascii: "}")
    else { return nil }
    return Beginning(
      envelope: EventEnvelope(
        sequence: sequence, at: at, type: type, operation: operation, by: by),
      version: version, payload: reader)
  }

  private mutating func type(_ reader: inout CanonicalLineReader) -> String? {
    for known in types {
      let isHere = known.bytes.withUnsafeBufferPointer { reader.skip($0) }
      if isHere { return known.text }
    }
    let start = reader.position
    guard let text = reader.string() else { return nil }
    if types.count < Self.typeLimit {
      types.append(
        CanonicalLineReader.CachedString(
          text: text, bytes: Array(reader.bytes[start..<reader.position])))
    }
    return text
  }
}
