import CatalogEngine

/// A playlist as lists have it.
public struct PlaylistLine: Hashable, Sendable {
  public var id: EntityID
  /// Several playlists may have the same name.
  public var name: String
  /// What a source or a person says of the playlist; nil if neither says anything.
  public var description: String?
  /// A track that appears twice counts twice.
  public var trackCount: Int64
  /// Of all tracks together, in seconds.
  public var duration: Double
  /// The time of the last event that set its name or its tracks, or that removed one of them from the library.
  public var dateModified: Timestamp

  static let shape = TypedTable(
    "collections", key: ["id"],
    Field("id", \PlaylistLine.id), Field("name", \PlaylistLine.name),
    Field("description", \PlaylistLine.description),
    Field("track_count", \PlaylistLine.trackCount), Field("duration", \PlaylistLine.duration),
    Field("date_modified", \PlaylistLine.dateModified), make: PlaylistLine.init)

  static let list = KeysetList(
    "playlists", as: shape,
    columns: """
      collections.id, collections.name, collection_info.description,
      projection_collection_order.track_count, projection_collection_order.milliseconds / 1000.0,
      collection_info.date_modified
      """,
    from: """
      projection_collection_order
      CROSS JOIN collections ON collections.id = projection_collection_order.collection_id
      CROSS JOIN collection_info ON collection_info.collection_id = collections.id
      """,
    orderedBy: [
      KeysetKey("projection_collection_order.name", \PlaylistLine.nameKey),
      KeysetKey("projection_collection_order.collection_id", \PlaylistLine.id),
    ])

  /// What `CollectionOrder` has of the playlist.
  private var nameKey: String { TrackOrder.key(name) }
}

/// A playlist with its tracks in their order.
public struct Playlist: Hashable, Sendable {
  public var id: EntityID
  /// Several playlists may have the same name.
  public var name: String
  /// What a source or a person says of the playlist; nil if neither says anything.
  public var description: String?
  /// As the source or a person wrote it; nil if the playlist has no picture.
  public var artworkURL: String?
  /// The time of the event that added it.
  public var dateCreated: Timestamp
  /// The time of the last event that set its name or its tracks, or that removed one of them from the library.
  public var dateModified: Timestamp
  /// One may stand there twice.
  public var tracks: [TrackLine]
}
