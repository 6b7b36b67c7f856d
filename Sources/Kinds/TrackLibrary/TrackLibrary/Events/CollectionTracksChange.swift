public import CatalogEngine

/// The tracks of a collection, as a difference from those that it has: an edit of a long list is a short event.
public struct CollectionTracksChange: Hashable, PayloadObject {
  public var id: EntityID
  /// The hash of the tracks that the difference begins with (`CollectionTracksChange.hash`).
  public var base: String
  /// How many tracks the collection has afterwards.
  public var count: Int64
  public var runs: [ListRun<EntityID>]

  public static let payload = Payload(
    Member("id", \Self.id), Member("base", \.base), Member("count", \.count),
    Member("runs", \.runs), make: Self.init)

  public init(id: EntityID, base: String, count: Int64, runs: [ListRun<EntityID>]) {
    self.id = id
    self.base = base
    self.count = count
    self.runs = runs
  }

  /// SHA-256 of the ids in the order of the list, each followed by a line feed.
  public static func hash(of tracks: [EntityID]) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(37 * tracks.count)
    for track in tracks {
      bytes += track.description.utf8
      bytes.append(UInt8(ascii: "\n"))
    }
    return ContentHash.hex(of: bytes)
  }

  /// The tracks afterwards; nil if this is a difference from another list, or is not valid.
  ///
  /// A list may grow by the new tracks of the event only: short events that copy it again and again would create millions
  /// of rows.
  public func tracks(from known: [EntityID]) -> [EntityID]? {
    guard let tracks = ListRun.list(of: count, runs, from: known),
      tracks.count <= known.count + newTracks, Self.hash(of: known) == base
    else { return nil }
    return tracks
  }

  /// How many ids it contains.
  private var newTracks: Int {
    runs.reduce(0) { sum, run in if case .new(let ids) = run { sum + ids.count } else { sum } }
  }
}

extension TrackEvent {
  /// The event that brings a collection from the tracks that it has to others: the shorter of the two ways to say it.
  public static func collectionTracks(
    of id: EntityID, from known: [EntityID], to tracks: [EntityID]
  ) -> TrackEvent {
    let change = CollectionTracksChange(
      id: id, base: CollectionTracksChange.hash(of: known), count: Int64(tracks.count),
      runs: ListRun.runs(of: tracks, from: known))
    guard change.length < Self.length(of: tracks.count), change.tracks(from: known) == tracks
    else { return .collectionTracksSet(id, tracks) }
    return .collectionTracksChanged(change)
  }

  /// Bytes that so many ids take in an event.
  fileprivate static func length(of ids: Int) -> Int { 39 * ids }
}

extension CollectionTracksChange {
  /// About how many bytes more than a whole list without tracks the event takes.
  fileprivate var length: Int {
    runs.reduce(100) { sum, run in
      switch run {
      case .kept: sum + 28
      case .new(let ids): sum + 10 + TrackEvent.length(of: ids.count)
      }
    }
  }
}
