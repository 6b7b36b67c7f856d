import CatalogEngine

/// The playlists of a set of documents; of two that are one, the later counts.
struct PlaylistPlan {
  private struct Planned {
    var facts: CollectionFacts
    var tracks: [EntityID]
    /// Whether a list of files says so: a text of anything else can be read as one.
    var isOfFiles: Bool
    /// The document that says so, as the caller named it.
    var document: String
  }

  private var order: [EntityID] = []
  private var planned: [EntityID: Planned] = [:]

  /// - Parameter ids: the track that has a URI.
  mutating func add(
    _ playlist: DocumentPlaylist, of document: TrackDocument, _ rows: ProvedRows,
    ids: (String) -> EntityID?
  ) throws {
    var playlist = playlist
    try findKnown(&playlist, document.format, rows)
    let id = playlist.id
    if planned[id] == nil { order.append(id) }
    let known =
      try planned[id]?.facts ?? rows.collection(id)
      ?? CollectionFacts(id: id, name: playlist.address)
    var tracks = playlist.uris.compactMap(ids)
    if let places = playlist.part {
      tracks = PartialList.merged(
        try planned[id]?.tracks ?? rows.tracks(of: id), tracks, at: places)
    }
    planned[id] = Planned(
      facts: CollectionFacts(
        id: id, name: playlist.name ?? known.name,
        description: known.description.updated(by: playlist.description),
        artworkURL: known.artworkURL.updated(by: playlist.artworkURL)),
      tracks: tracks, isOfFiles: playlist.file != nil, document: document.path)
  }

  /// Finds a list that was called by its folder, because another one of its name was imported with it, when it comes alone;
  /// and one that an earlier release knew by another id.
  private func findKnown(
    _ playlist: inout DocumentPlaylist, _ format: TrackDocument.Format, _ rows: ProvedRows
  ) throws {
    if let earlier = playlist.earlierID,
      try rows.row(of: TrackCollection.table, key: earlier) != nil,
      try rows.row(of: TrackCollection.table, key: playlist.id) == nil
    {
      playlist.id = earlier
    }
    guard playlist.isKnownByName, !playlist.hasNamesake, playlist.folder != nil else { return }
    let (name, id) = playlist.besides(format.idSource)
    guard try rows.row(of: TrackCollection.table, key: id) != nil else { return }
    playlist.id = id
    playlist.name = name
  }

  /// The playlists that lose all the tracks that they have: to nothing, or, in a list of files, to other tracks.
  func lost(_ rows: ProvedRows) throws -> [LostPlaylist] {
    try order.compactMap { id in
      guard let planned = planned[id] else { return nil }
      let old = try rows.tracks(of: id)
      let isLost =
        planned.tracks.isEmpty || planned.isOfFiles && Set(planned.tracks).isDisjoint(with: old)
      guard !old.isEmpty, isLost else { return nil }
      let name = try rows.row(of: TrackCollection.table, key: id)?.name ?? planned.facts.name
      let first = try rows.row(of: TrackSource.table, key: old[0])?.uri ?? old[0].description
      return LostPlaylist(
        id: id, name: name, trackCount: old.count, document: planned.document, firstTrack: first,
        isOtherList: !planned.tracks.isEmpty)
    }
  }

  func events(_ rows: ProvedRows) throws -> [TrackEvent] {
    var events: [TrackEvent] = []
    for id in order {
      guard let planned = planned[id] else { continue }
      if try rows.collection(id) != planned.facts {
        events.append(.collectionUpserted(planned.facts))
      }
      let old = try rows.tracks(of: id)
      if old != planned.tracks {
        events.append(.collectionTracks(of: id, from: old, to: planned.tracks))
      }
    }
    return events
  }
}
