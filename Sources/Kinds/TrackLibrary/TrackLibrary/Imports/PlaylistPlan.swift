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
    let known = planned[id]?.facts
    if known == nil { order.append(id) }
    let row = try known == nil ? rows.row(of: TrackCollection.table, key: id) : nil
    let info = try known == nil ? rows.row(of: CollectionInfo.table, key: id) : nil
    var tracks = playlist.uris.compactMap(ids)
    if let place = playlist.partAt {
      tracks = PartialList.merged(
        try planned[id]?.tracks ?? Self.tracks(of: id, rows), tracks, at: place)
    }
    planned[id] = Planned(
      facts: CollectionFacts(
        id: id, name: playlist.name ?? known?.name ?? row?.name ?? playlist.address,
        description: (known?.description ?? info?.description).updated(by: playlist.description),
        artworkURL: (known?.artworkURL ?? info?.artworkURL).updated(by: playlist.artworkURL)),
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
      let facts = planned.facts
      let known = try rows.row(of: TrackCollection.table, key: id)
      let info = try rows.row(of: CollectionInfo.table, key: id)
      if known?.name != facts.name || info?.description != facts.description
        || info?.artworkURL != facts.artworkURL
      {
        events.append(.collectionUpserted(facts))
      }
      let old = try Self.tracks(of: id, rows)
      if old != planned.tracks {
        events.append(.collectionTracks(of: id, from: old, to: planned.tracks))
      }
    }
    return events
  }

  private static func tracks(of id: EntityID, _ rows: ProvedRows) throws -> [EntityID] {
    try rows.rows(of: CollectionTrack.table, where: \.collectionID, is: id).map(\.trackID)
  }
}
