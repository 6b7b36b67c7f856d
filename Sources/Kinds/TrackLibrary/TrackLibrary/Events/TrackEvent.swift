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
  /// An operation is taken back.
  case reversal(Reversal)
}

/// The names of the events in the log.
public typealias TrackEventType = EventName<TrackEvent>

extension TrackEvent: DescribedEvent, ReversibleEvent {
  /// docs/TRACKS.md says what each of them does to rows.
  public static let vocabulary = EventVocabulary {
    EventDescription("library.imported", ImportedLibrary.payload, TrackEvent.libraryImported) {
      if case .libraryImported(let library) = $0 { library } else { nil }
    }
    EventDescription("track.upserted", TrackFacts.payload, TrackEvent.trackUpserted) {
      if case .trackUpserted(let track) = $0 { track } else { nil }
    }
    EventDescription("track.removed", "id", TrackEvent.trackRemoved) {
      if case .trackRemoved(let id) = $0 { id } else { nil }
    }
    EventDescription("track.played", "id", TrackEvent.trackPlayed) {
      if case .trackPlayed(let id) = $0 { id } else { nil }
    }
    EventDescription("artwork.added", Artwork.payload, TrackEvent.artworkAdded) {
      if case .artworkAdded(let artwork) = $0 { artwork } else { nil }
    }
    EventDescription("collection.upserted", CollectionFacts.payload, TrackEvent.collectionUpserted)
    {
      if case .collectionUpserted(let collection) = $0 { collection } else { nil }
    }
    EventDescription("collection.removed", "id", TrackEvent.collectionRemoved) {
      if case .collectionRemoved(let id) = $0 { id } else { nil }
    }
    EventDescription("collection.tracks.set", "id", "trackIds", TrackEvent.collectionTracksSet) {
      if case .collectionTracksSet(let id, let tracks) = $0 { (id, tracks) } else { nil }
    }
    EventDescription(
      "collection.tracks.changed", CollectionTracksChange.payload,
      TrackEvent.collectionTracksChanged
    ) {
      if case .collectionTracksChanged(let change) = $0 { change } else { nil }
    }
    EventDescription("song.upserted", SongFacts.payload, TrackEvent.songUpserted) {
      if case .songUpserted(let song) = $0 { song } else { nil }
    }
    EventDescription("song.identified", "from", "to", TrackEvent.songIdentified) {
      if case .songIdentified(let from, let to) = $0 { (from, to) } else { nil }
    }
    EventDescription("song.removed", "id", TrackEvent.songRemoved) {
      if case .songRemoved(let id) = $0 { id } else { nil }
    }
    EventDescription("song.tags.set", "song", "source", "tags", TrackEvent.songTagsSet) {
      if case .songTagsSet(let id, let source, let tags) = $0 { (id, source, tags) } else { nil }
    }
    EventDescription("song.synced", "song", "through", TrackEvent.songSynced) {
      if case .songSynced(let song, let through) = $0 { (song, through) } else { nil }
    }
    EventDescription("tag.added", LibraryTag.payload, TrackEvent.tagAdded) {
      if case .tagAdded(let tag) = $0 { tag } else { nil }
    }
    EventDescription("tag.changed", "id", "name", "hexColor", TrackEvent.tagChanged) {
      if case .tagChanged(let id, let name, let color) = $0 { (id, name, color) } else { nil }
    }
    EventDescription("tag.removed", "id", TrackEvent.tagRemoved) {
      if case .tagRemoved(let id) = $0 { id } else { nil }
    }
    EventDescription<TrackEvent>.operationReverted
    EventDescription<TrackEvent>.rowsRestored
  }

  public var asReversal: Reversal? {
    if case .reversal(let reversal) = self { reversal } else { nil }
  }
}
