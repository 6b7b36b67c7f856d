import CatalogModel

/// A type of event as canonical lines spell it.
final class CanonicalType: Sendable {
  typealias Read =
    @Sendable (inout CanonicalLineReader, inout CanonicalLineReader.Shared) -> SoundEvent?

  /// The bytes between `at` and `op`.
  let bytes: [UInt8]
  /// `"item":`, for an event about one item.
  let subject: [UInt8]?
  /// Reads the members of `data`, without its braces.
  let read: Read

  private init(_ type: EventType) {
    bytes = Array(#"","type":"\#(type.rawValue)","v":\#(type.version),"op":""#.utf8)
    subject = type.subject.map { Array(#""\#($0)":"#.utf8) }
    read = Self.frequent[type.rawValue] ?? { line, _ in type.read(canonical: &line) }
  }

  private static let frequent: [String: Read] = [
    "item.tags.set": { line, shared in line.itemTagsSet(&shared) },
    "item.upserted": { line, _ in line.itemUpserted() },
  ]

  /// In the order of the vocabulary: a reader tries the frequent ones first.
  static let all = EventType.allCases.map(CanonicalType.init)
}

extension CanonicalLineReader {
  /// The event of a canonical line of the newest version; nil if the line has another form.
  static func read(_ line: UnsafeRawBufferPointer, shared: inout Shared) -> SoundEventRecord? {
    var reader = CanonicalLineReader(line)
    guard reader.skip("{\"seq\":"), let sequence = reader.magnitude(), reader.skip(",\"at\":\""),
      let at = reader.timestamp(&shared), let type = reader.type(),
      let operation = reader.idCharacters(), reader.skip("\",\"by\":"),
      let by = reader.string(cachedIn: &shared.by), reader.skip(",\"data\":{"),
      let event = type.read(&reader, &shared), reader.skip("}}"),
      reader.position == reader.bytes.count
    else { return nil }
    return SoundEventRecord(sequence: sequence, at: at, operation: operation, by: by, event: event)
  }

  /// The one item that an event is about, read without the rest of its payload; nil if there is none, or the line has
  /// another form.
  static func item(_ line: UnsafeRawBufferPointer, shared: inout Shared) -> EntityID? {
    var reader = CanonicalLineReader(line)
    guard reader.skip("{\"seq\":"), reader.magnitude() != nil, reader.skip(",\"at\":\""),
      reader.timestamp(&shared) != nil, let subject = reader.type()?.subject,
      reader.idCharacters() != nil, reader.skip("\",\"by\":"),
      reader.string(cachedIn: &shared.by) != nil, reader.skip(",\"data\":{"),
      reader.skip(subject)
    else { return nil }
    return reader.id()
  }

  private mutating func type() -> CanonicalType? {
    for type in CanonicalType.all where skip(type.bytes) { return type }
    return nil
  }
}
