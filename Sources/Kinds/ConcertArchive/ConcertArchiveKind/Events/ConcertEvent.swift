public import CatalogModel

/// What can happen to a concert archive.
public enum ConcertEvent: Hashable, Sendable {
  case packageImported(ImportedPackage)
  /// A show is new, or says something else.
  case showUpserted(ShowFacts)
  case showRemoved(String)
  case recordingUpserted(RecordingFacts)
  case recordingRemoved(String)
  case collectionUpserted(CollectionFacts)
  case collectionRemoved(String)
  case libraryShowAdded(String)
  case libraryShowRemoved(String)
  case libraryShowPinned(String, Bool)
  /// Nil takes the notes away.
  case libraryShowNoted(String, String?)
  /// A person's own rating; nil takes it away.
  case libraryShowRated(String, Double?)
  /// All tags that a person gives a show.
  case libraryShowTagged(String, [String])
  /// Somebody listened to a show for long enough (`MeaningfulPlay`).
  case showPlayed(String)
  case recentCleared(ClearedRecent)
}

/// Which recent shows are hidden. The plays stay in the log.
public enum ClearedRecent: Hashable, Sendable {
  /// Those that were last played before a moment.
  case before(Timestamp)
  case show(String)
}

/// What the events are called in the log.
public enum ConcertEventType: String, EventTypeName {
  case packageImported = "package.imported"
  case showUpserted = "show.upserted"
  case showRemoved = "show.removed"
  case recordingUpserted = "recording.upserted"
  case recordingRemoved = "recording.removed"
  case collectionUpserted = "collection.upserted"
  case collectionRemoved = "collection.removed"
  case libraryShowAdded = "library.show.added"
  case libraryShowRemoved = "library.show.removed"
  case libraryShowPinned = "library.show.pinned"
  case libraryShowNoted = "library.show.noted"
  case libraryShowRated = "library.show.rated"
  case libraryShowTagged = "library.show.tagged"
  case showPlayed = "show.played"
  case recentCleared = "recent.cleared"
}

extension ConcertEvent {
  var type: ConcertEventType {
    switch self {
    case .packageImported: .packageImported
    case .showUpserted: .showUpserted
    case .showRemoved: .showRemoved
    case .recordingUpserted: .recordingUpserted
    case .recordingRemoved: .recordingRemoved
    case .collectionUpserted: .collectionUpserted
    case .collectionRemoved: .collectionRemoved
    case .libraryShowAdded: .libraryShowAdded
    case .libraryShowRemoved: .libraryShowRemoved
    case .libraryShowPinned: .libraryShowPinned
    case .libraryShowNoted: .libraryShowNoted
    case .libraryShowRated: .libraryShowRated
    case .libraryShowTagged: .libraryShowTagged
    case .showPlayed: .showPlayed
    case .recentCleared: .recentCleared
    }
  }
}
