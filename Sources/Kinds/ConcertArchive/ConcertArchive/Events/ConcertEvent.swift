public import CatalogModel
public import Projections

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
  /// An operation is taken back.
  case reversal(Reversal)
}

/// Which recent shows are hidden. The plays stay in the log.
public enum ClearedRecent: Hashable, Sendable {
  /// Those that were last played before a moment.
  case before(Timestamp)
  case show(String)
}

extension ClearedRecent: PayloadObject {
  /// One of the two keys is null, the other not.
  public static let payload = Payload(
    Member("before") { (cleared: Self) -> Timestamp? in
      if case .before(let time) = cleared { time } else { nil }
    },
    Member("show") { (cleared: Self) -> String? in
      if case .show(let show) = cleared { show } else { nil }
    },
    make: { (before, show) throws(PayloadReader.Problem) in
      switch (before, show) {
      case (nil, let show?): return .show(show)
      case (let before?, nil): return .before(before)
      default:
        throw PayloadReader.Problem(
          path: "", message: "one of \"before\" and \"show\" must be null, the other not")
      }
    })
}

/// The names of the events in the log.
public typealias ConcertEventType = EventName<ConcertEvent>

extension ConcertEvent: DescribedEvent, ReversibleEvent {
  public static let vocabulary = EventVocabulary {
    EventDescription("package.imported", ImportedPackage.payload, ConcertEvent.packageImported) {
      if case .packageImported(let package) = $0 { package } else { nil }
    }
    EventDescription("show.upserted", ShowFacts.payload, ConcertEvent.showUpserted) {
      if case .showUpserted(let show) = $0 { show } else { nil }
    }
    EventDescription("show.removed", "show", ConcertEvent.showRemoved) {
      if case .showRemoved(let show) = $0 { show } else { nil }
    }
    EventDescription("recording.upserted", RecordingFacts.payload, ConcertEvent.recordingUpserted) {
      if case .recordingUpserted(let recording) = $0 { recording } else { nil }
    }
    EventDescription("recording.removed", "recording", ConcertEvent.recordingRemoved) {
      if case .recordingRemoved(let recording) = $0 { recording } else { nil }
    }
    EventDescription(
      "collection.upserted", CollectionFacts.payload, ConcertEvent.collectionUpserted
    ) {
      if case .collectionUpserted(let collection) = $0 { collection } else { nil }
    }
    EventDescription("collection.removed", "id", ConcertEvent.collectionRemoved) {
      if case .collectionRemoved(let id) = $0 { id } else { nil }
    }
    EventDescription("library.show.added", "show", ConcertEvent.libraryShowAdded) {
      if case .libraryShowAdded(let show) = $0 { show } else { nil }
    }
    EventDescription("library.show.removed", "show", ConcertEvent.libraryShowRemoved) {
      if case .libraryShowRemoved(let show) = $0 { show } else { nil }
    }
    EventDescription("library.show.pinned", "show", "pinned", ConcertEvent.libraryShowPinned) {
      if case .libraryShowPinned(let show, let isPinned) = $0 { (show, isPinned) } else { nil }
    }
    EventDescription("library.show.noted", "show", "notes", ConcertEvent.libraryShowNoted) {
      if case .libraryShowNoted(let show, let notes) = $0 { (show, notes) } else { nil }
    }
    EventDescription("library.show.rated", "show", "rating", ConcertEvent.libraryShowRated) {
      if case .libraryShowRated(let show, let rating) = $0 { (show, rating) } else { nil }
    }
    EventDescription("library.show.tagged", "show", "tags", ConcertEvent.libraryShowTagged) {
      if case .libraryShowTagged(let show, let tags) = $0 { (show, tags) } else { nil }
    }
    EventDescription("show.played", "show", ConcertEvent.showPlayed) {
      if case .showPlayed(let show) = $0 { show } else { nil }
    }
    EventDescription("recent.cleared", ClearedRecent.payload, ConcertEvent.recentCleared) {
      if case .recentCleared(let cleared) = $0 { cleared } else { nil }
    }
    EventDescription<ConcertEvent>.operationReverted
    EventDescription<ConcertEvent>.rowsRestored
  }

  public var asReversal: Reversal? {
    if case .reversal(let reversal) = self { reversal } else { nil }
  }
}
