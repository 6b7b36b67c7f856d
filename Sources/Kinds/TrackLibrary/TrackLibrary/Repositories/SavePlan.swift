import CatalogEngine

/// The events that bring a library from what an app knew to what it saves.
struct SavePlan {
  private(set) var events: [TrackEvent] = []
  private let rows: ProvedRows
  private var pictures: Set<String> = []
  /// Collections whose removal is among the events.
  private var removedCollections: Set<EntityID> = []
  /// The tracks of collections whose list is among the events.
  private var lists: [EntityID: [EntityID]] = [:]
  /// Tracks whose removal is among the events.
  private var removed: Set<EntityID> = []

  init(_ rows: ProvedRows) {
    self.rows = rows
  }

  // MARK: Tracks

  /// Tracks that are new, or that say something else than the app knew.
  ///
  /// A track that takes the place of one that goes in the same save comes after its removal.
  mutating func add(_ tracks: [Track], _ known: [EntityID: Track]) throws {
    try Self.requireDifferent(tracks.map(\.id), "track")
    let changes = try changes(of: tracks, known)
    let kept = Set(tracks.map(\.id))
    var takers: [String: EntityID] = [:]
    let moving = Set(changes.filter { $0.known?.uri != $0.facts.uri }.map(\.facts.id))
    var gone: [EntityID] = []
    var isGone: Set<EntityID> = []
    for (facts, _) in changes {
      var other = try rows.rows(of: TrackSource.table, where: \.uri, is: facts.uri).first?.trackID
      if let track = other, known[track] != nil, !kept.contains(track) {
        if isGone.insert(track).inserted { gone.append(track) }
        other = nil
      }
      if let leaving = other, moving.contains(leaving) { other = nil }
      if let other = takers.updateValue(facts.id, forKey: facts.uri) ?? other, other != facts.id {
        throw Self.error(.duplicateURL, facts.id, "is at \(facts.uri), as is the track \(other)")
      }
    }
    try remove(gone)
    events += TrackMoves.ordered(changes).map { .trackUpserted($0) }
  }

  /// What tracks become that differ from what the app knew and from what is written.
  private mutating func changes(
    of tracks: [Track], _ known: [EntityID: Track]
  ) throws -> [TrackMoves.Change] {
    var changes: [TrackMoves.Change] = []
    for track in tracks where known[track.id] != track {
      let row = try rows.row(of: Track.table, key: track.id)
      var normalized = try Self.normalized(track)
      if let before = known[track.id], let row {
        normalized = ThreeWayMerge.track(
          known: try Self.normalized(before), saved: normalized, written: row)
      }
      guard row != normalized else { continue }
      let source = try rows.row(of: TrackSource.table, key: track.id)
      let isSamePlace = row?.fileURL == normalized.fileURL
      guard
        let uri = isSamePlace
          ? source?.uri
          : TrackURI.normalized(normalized.fileURL) ?? TrackURI.file(path: normalized.fileURL)
      else {
        throw Self.error(
          .urlRefused, track.id,
          "is at \(normalized.fileURL), which is neither a URI nor a path")
      }
      changes.append(
        (
          TrackFacts(
            id: track.id, details: normalized.details, artwork: try artwork(of: normalized),
            source: (isSamePlace ? source?.source : nil) ?? TrackURI.source(of: uri), uri: uri,
            song: source?.songID),
          row.flatMap { row in source.map { TrackFacts(row, $0) } }
        ))
    }
    return changes
  }

  /// Tracks that the app knew and does not have any more.
  mutating func remove(_ tracks: [Track], _ known: [EntityID: Track]) throws {
    let kept = Set(tracks.map(\.id))
    var gone: [EntityID] = []
    for id in known.keys.sorted() where !kept.contains(id) && !removed.contains(id) {
      if try rows.row(of: Track.table, key: id) != nil { gone.append(id) }
    }
    try remove(gone)
  }

  /// Removes tracks: first from the playlists that have several of them, all at once, since each removal of a track
  /// writes what comes after it in its playlists again.
  private mutating func remove(_ tracks: [EntityID]) throws {
    let gone = Set(tracks)
    var collections = Set(lists.keys)
    for track in tracks {
      for place in try rows.rows(of: CollectionTrack.table, where: \.trackID, is: track) {
        collections.insert(place.collectionID)
      }
    }
    for collection in collections.subtracting(removedCollections).sorted() {
      let known = try self.tracks(of: collection)
      let kept = known.filter { !gone.contains($0) }
      if known.count > kept.count + 1 { setTracks(of: collection, from: known, to: kept) }
    }
    removed.formUnion(gone)
    events += tracks.map { .trackRemoved($0) }
  }

  /// The tracks that a collection has after the events.
  private func tracks(of collection: EntityID) throws -> [EntityID] {
    let tracks = try lists[collection] ?? rows.tracks(of: collection)
    return removed.isEmpty ? tracks : tracks.filter { !removed.contains($0) }
  }

  private mutating func setTracks(
    of collection: EntityID, from known: [EntityID], to tracks: [EntityID]
  ) {
    guard known != tracks else { return }
    events.append(.collectionTracks(of: collection, from: known, to: tracks))
    lists[collection] = tracks
  }

  private mutating func artwork(of track: Track) throws -> String? {
    guard let data = track.artworkData else { return nil }
    guard data.count <= Artwork.limit else {
      throw Self.error(
        .artworkTooLarge, track.id,
        "has a picture of \(data.count) bytes; the limit is \(Artwork.limit)")
    }
    let picture = Artwork(data)
    if pictures.insert(picture.sha256).inserted,
      try rows.row(of: Artwork.table, key: picture.sha256) == nil
    {
      events.append(.artworkAdded(picture))
    }
    return picture.sha256
  }

  // MARK: Collections

  mutating func save(
    _ collections: [SavedCollection], _ known: [EntityID: SavedCollection]
  ) throws {
    try Self.requireDifferent(collections.map(\.id), "collection")
    let kept = Set(collections.map(\.id))
    for id in known.keys.sorted() where !kept.contains(id) {
      guard try rows.row(of: TrackCollection.table, key: id) != nil else { continue }
      events.append(.collectionRemoved(id))
      removedCollections.insert(id)
    }
    for collection in collections where known[collection.id] != collection {
      let row = try rows.collection(collection.id)
      let name = try Self.text(collection.name, "the name of the collection \(collection.id)")
      if row?.name != name, known[collection.id]?.name != collection.name || row == nil {
        var facts = row ?? CollectionFacts(id: collection.id, name: name)
        facts.name = name
        events.append(.collectionUpserted(facts))
      }
      let written = try rows.tracks(of: collection.id)
      var tracks = collection.trackIDs
      if row != nil, let before = known[collection.id] {
        tracks = ThreeWayMerge.list(known: before.trackIDs, saved: tracks, written: written)
      }
      if written != tracks {
        setTracks(of: collection.id, from: try self.tracks(of: collection.id), to: tracks)
      }
    }
  }

  // MARK: Rules

  private static func requireDifferent(_ ids: [EntityID], _ noun: String) throws {
    var seen: Set<EntityID> = []
    for id in ids where !seen.insert(id).inserted {
      throw SaveError(code: .duplicateID, message: "two \(noun)s have the id \(id)")
    }
  }

  /// A track with its texts as events hold them.
  private static func normalized(_ track: Track) throws -> Track {
    func text(_ text: String) throws -> String { try Self.text(text, "the track \(track.id)") }
    guard track.duration.isFinite, track.duration >= 0 else {
      throw error(.durationRefused, track.id, "has a duration of \(track.duration)")
    }
    var normalized = track
    for column in TrackDetails.columns { try column.mapText(of: &normalized.details, text) }
    if track.artworkData?.isEmpty == true { normalized.artworkData = nil }
    // There is one zero in the log.
    normalized.duration = track.duration + 0
    return normalized
  }

  private static func text(_ text: String, _ owner: String) throws -> String {
    try TextRules.apply(TextRules.verbatim, to: text) {
      SaveError(code: .textRefused, message: "\(owner): \($0.sentence(of: text))")
    }
  }

  private static func error(_ code: SaveError.Code, _ track: EntityID, _ message: String)
    -> SaveError
  {
    SaveError(code: code, message: "the track \(track) \(message)")
  }
}
