public import CatalogEngine
import Synchronization

/// Loads and saves a whole library, as an app does that holds all of it in memory.
///
/// A save appends the difference to what this repository loaded or saved last. What others wrote meanwhile stays: also
/// in the same playlist, and in the same track, where the app changed other fields of it. Two saves at once follow each
/// other. Tracks and collections of one save are one batch: nobody sees the one without the
/// other, however the process ends.
///
/// ```swift
/// let repository = library.repository()
/// var tracks = try await repository.loadTracks()
/// tracks.append(track)
/// try await repository.saveTracks(tracks)
/// ```
public final class LibraryRepository: TrackRepository, CollectionRepository {
  private let catalog: EventCatalog<TrackLibraryKind>
  private let known = Mutex(LastSeen())
  private let turns = AsyncMutex()

  /// What was loaded or saved last.
  struct LastSeen {
    var tracks: [EntityID: Track] = [:]
    var collections: [EntityID: SavedCollection] = [:]
  }

  init(_ catalog: EventCatalog<TrackLibraryKind>) {
    self.catalog = catalog
  }

  // MARK: Loading

  /// All tracks, by id.
  public func loadTracks() async throws -> [Track] {
    try await turns.run {
      let tracks = try await catalog.rows(of: Track.table)
      known.withLock { $0.tracks = Self.byID(tracks, \.id) }
      return tracks
    }
  }

  /// All collections, by id.
  public func loadCollections() async throws -> [SavedCollection] {
    try await turns.run {
      let collections = try await readCollections()
      known.withLock { $0.collections = Self.byID(collections, \.id) }
      return collections
    }
  }

  private func readCollections() async throws -> [SavedCollection] {
    try await catalog.read { rows in
      let places = Dictionary(
        grouping: try rows.rows(of: CollectionTrack.table), by: \.collectionID)
      return try rows.rows(of: TrackCollection.table).map { collection in
        SavedCollection(
          id: collection.id, name: collection.name,
          trackIDs: (places[collection.id] ?? []).map(\.trackID))
      }
    }
  }

  // MARK: Saving

  /// - Throws: `SaveError`; what `EventCatalog.change` throws. Nothing is appended then.
  public func saveTracks(_ tracks: [Track]) async throws {
    try await save(tracks: tracks, collections: nil)
  }

  /// - Throws: `SaveError` with `duplicateID`, `textRefused`; `ProjectionError` with `contradiction` for a track that is
  ///   not in the library; what `EventCatalog.change` throws. Nothing is appended then.
  public func saveCollections(_ collections: [SavedCollection]) async throws {
    try await save(tracks: nil, collections: collections)
  }

  /// Saves both, as one batch.
  ///
  /// - Parameters:
  ///   - tracks: all of them; nil leaves them as they are.
  ///   - collections: all of them; nil leaves them as they are.
  @discardableResult
  public func save(
    tracks: [Track]?, collections: [SavedCollection]?
  ) async throws -> ChangeReport {
    try await turns.run {
      let before = known.withLock { $0 }
      // Other repositories and processes write as well.
      let report = try await catalog.change(by: "app", wait: .seconds(60)) { rows in
        var plan = SavePlan(rows)
        // A track has to be there before a collection has it, and in none when it goes.
        if let tracks { try plan.add(tracks, before.tracks) }
        if let collections { try plan.save(collections, before.collections) }
        if let tracks { try plan.remove(tracks, before.tracks) }
        return plan.events
      }
      known.withLock { known in
        if let tracks { known.tracks = Self.byID(tracks, \.id) }
        if let collections { known.collections = Self.byID(collections, \.id) }
      }
      return report
    }
  }

  private static func byID<Element>(
    _ elements: [Element], _ id: KeyPath<Element, EntityID>
  ) -> [EntityID: Element] {
    Dictionary(elements.map { ($0[keyPath: id], $0) }, uniquingKeysWith: { $1 })
  }
}

extension TrackLibrary {
  /// A repository that knows nothing yet: what it does not load, it does not remove.
  public func repository() -> LibraryRepository { LibraryRepository(catalog) }
}
