public import CatalogEngine

/// What can happen to a library of tracks.
public enum TrackEvent: Hashable, Sendable {
  /// A document was imported; what it changed follows in the same batch.
  case libraryImported(ImportedLibrary)
  /// A track is new, or says something else.
  case trackUpserted(TrackFacts)
  /// A track goes, also from all collections.
  case trackRemoved(EntityID)
  case trackPlayed(EntityID)
  /// A picture, once however many tracks have it.
  case artworkAdded(Artwork)
  case collectionUpserted(CollectionFacts)
  case collectionRemoved(EntityID)
  /// All tracks of a collection in their order; one may stand there twice.
  case collectionTracksSet(EntityID, [EntityID])
  case songUpserted(SongFacts)
  /// A song is known by a better id: tags and tracks move, and the old id stays another name of it.
  case songIdentified(from: String, to: String)
  case songRemoved(String)
  /// All tags that one source gives a song: a person, an analysis.
  case songTagsSet(song: String, source: String, tags: [EntityID])
  /// A server has a song as it was after the event with this number.
  case songSynced(song: String, through: Int64)
  case tagAdded(LibraryTag)
  case tagChanged(EntityID, name: String, hexColor: String)
  case tagRemoved(EntityID)
}

/// What the events are called in the log.
public enum TrackEventType: String, EventTypeName {
  case libraryImported = "library.imported"
  case trackUpserted = "track.upserted"
  case trackRemoved = "track.removed"
  case trackPlayed = "track.played"
  case artworkAdded = "artwork.added"
  case collectionUpserted = "collection.upserted"
  case collectionRemoved = "collection.removed"
  case collectionTracksSet = "collection.tracks.set"
  case songUpserted = "song.upserted"
  case songIdentified = "song.identified"
  case songRemoved = "song.removed"
  case songTagsSet = "song.tags.set"
  case songSynced = "song.synced"
  case tagAdded = "tag.added"
  case tagChanged = "tag.changed"
  case tagRemoved = "tag.removed"
}

extension TrackEvent {
  /// What the log calls it.
  public var type: TrackEventType {
    switch self {
    case .libraryImported: .libraryImported
    case .trackUpserted: .trackUpserted
    case .trackRemoved: .trackRemoved
    case .trackPlayed: .trackPlayed
    case .artworkAdded: .artworkAdded
    case .collectionUpserted: .collectionUpserted
    case .collectionRemoved: .collectionRemoved
    case .collectionTracksSet: .collectionTracksSet
    case .songUpserted: .songUpserted
    case .songIdentified: .songIdentified
    case .songRemoved: .songRemoved
    case .songTagsSet: .songTagsSet
    case .songSynced: .songSynced
    case .tagAdded: .tagAdded
    case .tagChanged: .tagChanged
    case .tagRemoved: .tagRemoved
    }
  }
}
