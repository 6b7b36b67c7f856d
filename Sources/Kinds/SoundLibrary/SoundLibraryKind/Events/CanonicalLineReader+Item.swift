package import CatalogModel

extension CanonicalLineReader {
  /// The one item that an event is about, read without the rest of its payload; nil for events about
  /// anything else, and for lines in any other form.
  static func item(_ line: UnsafeRawBufferPointer, shared: inout Shared) -> EntityID? {
    var reader = CanonicalLineReader(line)
    guard reader.skip("{\"seq\":"), reader.magnitude() != nil, reader.skip(",\"at\":\""),
      reader.timestamp(&shared) != nil, let type = reader.type(),
      reader.idCharacters() != nil, reader.skip("\",\"by\":"),
      reader.string(cachedIn: &shared.by) != nil, reader.skip(",\"data\":{")
    else { return nil }
    switch type {
    case .itemUpserted, .itemVisibilityChanged: return reader.skip("\"id\":") ? reader.id() : nil
    // Not `playlistTracksSnapshotted`: a track is told once, whatever playlists hold it.
    case .itemTagsSet, .itemTagSuppressed, .itemTagUnsuppressed, .playlistLinked,
      .playlistMetadataRefreshed:
      return reader.skip("\"item\":") ? reader.id() : nil
    default: return nil
    }
  }
}

extension EventDecoder {
  /// The one item that the event of a canonical line is about: who follows another item need not decode
  /// it. Nil for any other line.
  package mutating func item(of line: UnsafeRawBufferPointer) -> EntityID? {
    CanonicalLineReader.item(line, shared: &shared)
  }
}
