public import CatalogEngine

/// What can happen to a library of tracks.
///
/// An event that contradicts the rows changes nothing in any replay, and `verify` lists it.
public enum TrackEvent: Hashable, Sendable {
  /// A document was imported; what it changed follows in the same batch.
  case libraryImported(ImportedLibrary)
  /// A track is new, or says something else.
  case trackUpserted(TrackFacts)
  /// A track was removed, also from all collections.
  case trackRemoved(EntityID)
  /// A track was played once: its count grows by 1. Contradicts the rows if there is no such track.
  case trackPlayed(EntityID)
  /// A picture, once however many tracks have it.
  case artworkAdded(Artwork)
  /// A playlist is new, or has another name, description or picture; its tracks stay.
  case collectionUpserted(CollectionFacts)
  /// A playlist was removed; its tracks stay in the library. Contradicts the rows if there is no such playlist.
  case collectionRemoved(EntityID)
  /// All tracks of a collection in their order; one may stand there twice.
  case collectionTracksSet(EntityID, [EntityID])
  /// All tracks of a collection in their order, as a difference from those that it has.
  /// Contradicts the rows if the collection has other tracks than those that the difference begins with.
  case collectionTracksChanged(CollectionTracksChange)
  /// A song is new or says something else. It is pending, also if it was removed before.
  /// Contradicts the rows if its id is another name of a song.
  case songUpserted(SongFacts)
  /// A song is known by a better id: tags and tracks move, and the old id stays another name of it.
  case songIdentified(from: String, to: String)
  /// A song, by any of its names, loses its tags and waits for its removal from the server.
  /// Contradicts the rows if there is no such song.
  case songRemoved(String)
  /// All tags that one source gives a song: a person, an analysis.
  case songTagsSet(song: String, source: String, tags: [EntityID])
  /// A server has a song as it was after the event with this number.
  case songSynced(song: String, through: Int64)
  /// A tag is new. The same again changes nothing. Contradicts the rows if another tag has its id or its name.
  case tagAdded(LibraryTag)
  /// A tag has another name, another colour, or both; its songs are pending.
  /// Contradicts the rows if it is a system tag or does not exist, or if another tag has the name.
  case tagChanged(EntityID, name: String, hexColor: String)
  /// A tag was removed, also from its songs, which are pending then.
  /// Contradicts the rows if it is a system tag or does not exist.
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
  case collectionTracksChanged = "collection.tracks.changed"
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
    case .collectionTracksChanged: .collectionTracksChanged
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
