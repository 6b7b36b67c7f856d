import CatalogEngine

/// Rows that the projector and several plans look for.
extension RowStore {
  /// The tracks of a playlist, in its order; none if there is no such playlist.
  func tracks(of collection: EntityID) throws -> [EntityID] {
    try rows(of: CollectionTrack.table, where: \.collectionID, is: collection).map(\.trackID)
  }

  /// The facts of a playlist, as an event would say them; nil if there is no such playlist.
  func collection(_ id: EntityID) throws -> CollectionFacts? {
    guard let collection = try row(of: TrackCollection.table, key: id) else { return nil }
    let info = try row(of: CollectionInfo.table, key: id)
    return CollectionFacts(
      id: id, name: collection.name, description: info?.description, artworkURL: info?.artworkURL)
  }

  /// The own id of the song that has this id as another name; else the id itself.
  func songID(of name: String) throws -> String {
    try row(of: SongAlias.table, key: name)?.songID ?? name
  }
}
