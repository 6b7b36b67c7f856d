extension CanonicalLineReader {
  /// The item whose tags or playlist an event is about, read without the rest of its payload; nil for
  /// events about anything else, and for lines in any other form.
  static func taggedItem(_ line: UnsafeRawBufferPointer, shared: inout Shared) -> EntityID? {
    var reader = CanonicalLineReader(bytes: line.bindMemory(to: UInt8.self))
    guard reader.skip("{\"seq\":"), reader.magnitude() != nil, reader.skip(",\"at\":\""),
      reader.timestamp(&shared) != nil, let type = reader.type(), type.concernsTagsOfAnItem,
      reader.idCharacters() != nil, reader.skip("\",\"by\":"),
      reader.string(cachedIn: &shared.by) != nil, reader.skip(",\"data\":{\"item\":")
    else { return nil }
    return reader.id()
  }
}

extension EventType {
  fileprivate var concernsTagsOfAnItem: Bool {
    switch self {
    case .itemTagsSet, .itemTagSuppressed, .itemTagUnsuppressed, .playlistLinked: true
    default: false
    }
  }
}

extension EventDecoder {
  /// The item whose tags or playlist the event of a canonical line is about: such an event touches no
  /// other item's rows, and need not be decoded to follow these. Nil for any other line.
  package mutating func taggedItem(line: UnsafeRawBufferPointer) -> EntityID? {
    CanonicalLineReader.taggedItem(line, shared: &shared)
  }
}
