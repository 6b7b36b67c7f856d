public import CatalogEngine

/// A playlist, with the columns of the table of the music player that this kind replaces.
public struct TrackCollection: Hashable, Sendable {
  public var id: EntityID
  /// Several playlists may have the same name.
  public var name: String

  public init(id: EntityID, name: String) {
    self.id = id
    self.name = name
  }

  public static let table = TypedTable(
    "collections", key: ["id"],
    Field("id", \TrackCollection.id, sql: "TEXT PRIMARY KEY"),
    Field("name", \TrackCollection.name, isName: true),
    make: TrackCollection.init)
}

/// What else is known of a playlist.
public struct CollectionInfo: Hashable, Sendable {
  public var collectionID: EntityID
  /// What a source or a person says of the playlist; nil if neither says anything.
  public var description: String?
  /// As the source or a person wrote it; nil if the playlist has no picture.
  public var artworkURL: String?
  /// The time of the event that added the playlist.
  public var dateCreated: Timestamp
  /// The time of the last event that set its name or its tracks, or that removed one of them from the library.
  public var dateModified: Timestamp

  /// Has a row for each row of `TrackCollection.table`.
  public static let table = TypedTable(
    "collection_info", key: ["collection_id"],
    Field(
      "collection_id", \CollectionInfo.collectionID,
      references: .to("collections", "id", onDelete: .cascade)),
    Field("description", \CollectionInfo.description, sql: "TEXT"),
    Field("artwork_url", \CollectionInfo.artworkURL, sql: "TEXT"),
    Field("date_created", \CollectionInfo.dateCreated),
    Field("date_modified", \CollectionInfo.dateModified, isChangeStamp: true),
    make: CollectionInfo.init)
}

/// A track's place in a playlist. The place is in the key, not the track, which may stand there twice.
public struct CollectionTrack: Hashable, Sendable {
  public var collectionID: EntityID
  public var trackID: EntityID
  /// From 0, without gaps.
  public var position: Int64

  public static let table = TypedTable(
    "collection_tracks", key: ["collection_id", "position"], storage: .rowIDs,
    constraints: [
      .foreignKey(["collection_id"], .to("collections", "id", onDelete: .cascade)),
      .foreignKey(["track_id"], .to("tracks", "id", onDelete: .cascade)),
    ],
    indexes: [
      .index("idx_collection_tracks_collection", on: ["collection_id"]),
      // A track that goes leaves the playlists that have it: without this, all would be read.
      .index("projection_collection_tracks_track", on: ["track_id"]),
    ],
    Field("collection_id", \CollectionTrack.collectionID),
    Field("track_id", \CollectionTrack.trackID),
    Field("position", \CollectionTrack.position),
    make: CollectionTrack.init)
}
