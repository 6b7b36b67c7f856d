import CatalogEngine

/// The playlists of a set of documents; of two that are one, the later counts.
struct PlaylistPlan {
  private struct Planned {
    var facts: CollectionFacts
    var tracks: [EntityID]
  }

  private var order: [EntityID] = []
  private var planned: [EntityID: Planned] = [:]

  /// - Parameter ids: the track that has a URI.
  mutating func add(
    _ playlist: DocumentPlaylist, _ format: TrackDocument.Format, _ rows: ProvedRows,
    ids: (String) -> EntityID?
  ) throws {
    var playlist = playlist
    try findKnown(&playlist, format, rows)
    let id = playlist.id
    if planned[id] == nil { order.append(id) }
    let known =
      try planned[id]?.facts ?? rows.collection(id)
      ?? CollectionFacts(id: id, name: playlist.address)
    var tracks = playlist.uris.compactMap(ids)
    if let place = playlist.partAt {
      tracks = PartialList.merged(
        try planned[id]?.tracks ?? rows.tracks(of: id), tracks, at: place)
    }
    planned[id] = Planned(
      facts: CollectionFacts(
        id: id, name: playlist.name ?? known.name,
        description: known.description.updated(by: playlist.description),
        artworkURL: known.artworkURL.updated(by: playlist.artworkURL)),
      tracks: tracks)
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
