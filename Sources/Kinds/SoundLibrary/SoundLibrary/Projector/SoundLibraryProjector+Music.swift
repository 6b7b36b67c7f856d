import CatalogModel
import Projections
import Support

extension SoundLibraryProjector {
  func linked(_ event: PlaylistLinked, _ store: some RowStore) throws {
    try item(event.item, of: .music, store)
    let holders = try store.rows(
      of: PlaylistReference.table, where: \.playlistID, is: event.playlistID)
    guard holders.allSatisfy({ $0.itemID == event.item }) else {
      throw ProjectionError(
        .contradiction, "playlist \(event.playlistID) belongs to another item already")
    }
    let old = try store.row(of: PlaylistReference.table, key: event.item)
    let isSame = old?.playlistID == event.playlistID
    if let old, !isSame {
      // What was known is of another playlist.
      try removeTracks(of: old.playlistID, store) { _ in true }
      try store.remove(of: KnownPlaylist.table, key: event.item)
    }
    if isSame, !event.useSnapshot {
      let newest = try store.row(of: KnownPlaylist.table, key: event.item)?.snapshotAt
      try removeTracks(of: event.playlistID, store) { $0.snapshotAt != newest }
    }
    // Another playlist has not been synchronised yet.
    let syncedAt = isSame ? old?.lastSyncAt : nil
    try store.put(
      PlaylistReference(
        itemID: event.item, playlistID: event.playlistID, lastSyncAt: syncedAt,
        usesSnapshots: event.useSnapshot),
      in: PlaylistReference.table)
  }

  func refreshed(
    _ event: PlaylistMetadataRefreshed, _ record: SoundEventRecord, _ store: some RowStore
  ) throws {
    try synchronised(reference(of: event.item, to: event.playlistID, store), record, store)
    let known = try playlist(of: event.item, store)
    try store.put(known.refreshed(event.state, in: event.storefront), in: KnownPlaylist.table)
  }

  func snapshotted(
    _ event: PlaylistTracksSnapshotted, _ record: SoundEventRecord, _ store: some RowStore
  ) throws {
    var known = try playlist(of: event.item, store)
    guard known.snapshotSequence == event.base.map({ Int64(clamping: $0) }) else {
      throw ProjectionError(
        .contradiction,
        "the tracks of playlist \(event.playlistID) are a difference to event "
          + "\(event.base.map { "\($0)" } ?? "none"), and its last snapshot is another one")
    }
    let reference = try reference(of: event.item, to: event.playlistID, store)
    let list = try self.list(of: event, base: known.snapshotAt, store)
    try check(event.tracks, of: list, store)
    try synchronised(reference, record, store)
    try note(event.tracks, of: list, record, store)
    // Of two snapshots of one millisecond the later one stays: they would have the same key. All that are
    // kept are not looked through for it: they grow with each one.
    let old =
      try reference.usesSnapshots
      ? store.rows(
        of: PlaylistPlace.table, by: PlaylistPlace.bySnapshot, equal: event.playlistID, record.at)
      : store.rows(of: PlaylistPlace.table, where: \.playlistID, is: event.playlistID)
    for place in old { try remove(place, store) }
    for (position, id) in list.enumerated() {
      try store.put(
        PlaylistPlace(
          playlistID: event.playlistID, trackID: id, position: Int64(position),
          snapshotAt: record.at),
        in: PlaylistPlace.table)
    }
    known.snapshotAt = record.at
    known.snapshotSequence = Int64(record.sequence)
    try store.put(known, in: KnownPlaylist.table)
  }

  private func list(
    of event: PlaylistTracksSnapshotted, base: Timestamp?, _ store: some RowStore
  ) throws -> [String] {
    let known = try base.map { try TrackList.ids(of: event.playlistID, at: $0, store) } ?? []
    guard let list = ListRun<String>.list(of: event.count, event.runs, from: known) else {
      throw ProjectionError(
        .contradiction,
        "the tracks of playlist \(event.playlistID) are no difference to the \(known.count) before")
    }
    return list
  }

  /// - Throws: `ProjectionError` with `contradiction` if the event describes a track that the list does not
  ///   have, or the list has one that was never described, or repeats its tracks too often.
  private func check(
    _ tracks: [PlaylistTracksSnapshotted.Track], of list: [String], _ store: some RowStore
  ) throws {
    let members = Set(list)
    if let excess = TrackListLimits.places(list.count, ofTracks: members.count) {
      throw ProjectionError(.contradiction, "\(excess)")
    }
    for track in tracks where !members.contains(track.id) {
      throw ProjectionError(
        .contradiction, "track \(track.id) is described and is not in the playlist")
    }
    let described = Set(tracks.map(\.id))
    // In the order of the list: which of several is named must not depend on a hash.
    for id in list where !described.contains(id) {
      guard try store.row(of: CachedTrack.table, key: id) != nil else {
        throw ProjectionError(.contradiction, "track \(id) was never described")
      }
    }
  }

  /// Notes the tracks that are described, and when each of the list was seen.
  private func note(
    _ tracks: [PlaylistTracksSnapshotted.Track], of list: [String], _ record: SoundEventRecord,
    _ store: some RowStore
  ) throws {
    for track in tracks {
      try store.put(
        CachedTrack(
          id: track.id, title: track.title, artist: track.artist, album: track.album,
          duration: track.duration, artworkURL: track.artworkURL, lastSeenAt: record.at),
        in: CachedTrack.table)
      try store.put(TrackType(trackID: track.id, type: track.type), in: TrackType.table)
    }
    var seen = Set(tracks.map(\.id))
    for id in list where seen.insert(id).inserted {
      guard var track = try store.row(of: CachedTrack.table, key: id) else { continue }
      track.lastSeenAt = record.at
      try store.put(track, in: CachedTrack.table)
    }
  }

  /// The row that says which playlist an item stands for.
  ///
  /// - Throws: `ProjectionError` with `contradiction` if it stands for none, or another one.
  private func reference(
    of item: EntityID, to playlist: String, _ store: some RowStore
  ) throws -> PlaylistReference {
    guard let reference = try store.row(of: PlaylistReference.table, key: item),
      reference.playlistID == playlist
    else {
      throw ProjectionError(
        .contradiction, "item \(item) does not stand for playlist \(playlist)")
    }
    return reference
  }

  /// Notes when a playlist was looked at last with something new.
  private func synchronised(
    _ reference: PlaylistReference, _ record: SoundEventRecord, _ store: some RowStore
  ) throws {
    var reference = reference
    reference.lastSyncAt = record.at
    try store.put(reference, in: PlaylistReference.table)
  }

  /// What is known of an item's playlist; a row of nothing where that is nothing.
  private func playlist(of item: EntityID, _ store: some RowStore) throws -> KnownPlaylist {
    try store.row(of: KnownPlaylist.table, key: item) ?? KnownPlaylist(itemID: item)
  }

  private func removeTracks(
    of playlist: String, _ store: some RowStore, where isOld: (PlaylistPlace) -> Bool
  ) throws {
    let places = try store.rows(of: PlaylistPlace.table, where: \.playlistID, is: playlist)
    for place in places where isOld(place) { try remove(place, store) }
  }

  private func remove(_ place: PlaylistPlace, _ store: some RowStore) throws {
    try store.remove(
      of: PlaylistPlace.table, key: place.playlistID, place.trackID, place.position,
      place.snapshotAt)
  }
}
