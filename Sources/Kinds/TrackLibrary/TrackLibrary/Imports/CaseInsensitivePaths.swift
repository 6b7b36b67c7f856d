import CatalogEngine

/// The tracks of a library on drives and shares of Windows, where names are compared without case.
struct CaseInsensitivePaths {
  private var ids: [String: EntityID] = [:]

  /// They are looked for only if a document has some: all tracks are read then.
  init(_ documents: [TrackDocument], _ rows: ProvedRows) throws {
    guard documents.contains(where: { $0.tracks.contains { TrackURI.isOfWindows($0.uri) } }) else {
      return
    }
    for source in try rows.rows(of: TrackSource.table) where TrackURI.isOfWindows(source.uri) {
      let key = TrackURI.key(of: source.uri)
      // An earlier release kept two spellings as two tracks.
      if ids[key].map({ source.trackID < $0 }) ?? true { ids[key] = source.trackID }
    }
  }

  func id(of uri: String) -> EntityID? { ids.isEmpty ? nil : ids[TrackURI.key(of: uri)] }
}
