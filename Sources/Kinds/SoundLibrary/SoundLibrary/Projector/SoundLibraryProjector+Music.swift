import CatalogModel
import Projections
import Support

extension SoundLibraryProjector {
  func linked(_ event: PlaylistLinked, _ store: some RowStore) throws {
    try item(event.item, of: .music, store)
    let holders = try store.rows(by: Tables.playlistByID, equal: [.text(event.playlistID)])
    guard holders.allSatisfy({ $0[0] == .id(event.item) }) else {
      throw ProjectionError(
        .contradiction, "playlist \(event.playlistID) belongs to another item already")
    }
    let old = try store.row(in: Tables.musicPlaylistRef, key: [.id(event.item)])
    let isSame = old?[1] == .text(event.playlistID)
    if let old, !isSame {
      // What was known is of another playlist.
      try removeTracks(of: old[1], store) { _ in true }
      try store.remove(key: [.id(event.item)], from: Tables.playlist)
    }
    if isSame, !event.useSnapshot {
      let known = try store.row(in: Tables.playlist, key: [.id(event.item)])
      try removeTracks(of: .text(event.playlistID), store) { $0[3] != known?[10] }
    }
    // Another playlist has not been synchronised yet.
    let synced = isSame ? old?[2] ?? .null : .null
    try store.put(
      [.id(event.item), .text(event.playlistID), synced, .flag(event.useSnapshot)],
      in: Tables.musicPlaylistRef)
  }

  func refreshed(
    _ event: PlaylistMetadataRefreshed, _ record: EventRecord, _ store: some RowStore
  ) throws {
    try synchronised(reference(of: event.item, to: event.playlistID, store), record, store)
    var row = try playlist(of: event.item, store)
    row[1] = .text(event.storefront)
    row[2] = .text(event.state.name.rawValue)
    row[3] = .text(event.state.reason)
    // Of a playlist that is gone the last that was known stays.
    if let metadata = event.state.metadata {
      row[4] = .text(metadata.title)
      row[5] = .text(metadata.curator)
      row[6] = .text(metadata.description)
      row[7] = .text(metadata.artworkURL)
      row[8] = .text(metadata.url)
      row[9] = .text(metadata.modifiedAt)
      row[12] = .flag(metadata.isPlayable)
    }
    try store.put(row, in: Tables.playlist)
  }

  func snapshotted(
    _ event: PlaylistTracksSnapshotted, _ record: EventRecord, _ store: some RowStore
  ) throws {
    var row = try playlist(of: event.item, store)
    let sequence = Value.integer(Int64(record.sequence))
    guard row[11] == .integer(event.base.map { Int64(clamping: $0) }) else {
      throw ProjectionError(
        .contradiction,
        "the tracks of playlist \(event.playlistID) are a difference to event "
          + "\(event.base.map { "\($0)" } ?? "none"), and its last snapshot is another one")
    }
    let reference = try reference(of: event.item, to: event.playlistID, store)
    let list = try self.list(of: event, base: row[10], store)
    try check(event.tracks, of: list, store)
    try synchronised(reference, record, store)
    try note(event.tracks, of: list, record, store)
    let isKept = reference[3] == .flag(true)
    // Of two snapshots of one millisecond the later one stays: they would have the same key. All that are
    // kept are not looked through for it: they grow with each one.
    let old: [[Value]] =
      try isKept
      ? store.rows(
        by: Tables.tracksBySnapshot, equal: [.text(event.playlistID), .time(record.at)])
      : store.rows(by: Tables.tracksByPlaylist, equal: [.text(event.playlistID)])
    for row in old {
      try store.remove(key: Tables.playlistTrack.key(of: row), from: Tables.playlistTrack)
    }
    for (position, id) in list.enumerated() {
      try store.put(
        [
          .text(event.playlistID), .text(id), .integer(Int64(position)), .time(record.at),
        ], in: Tables.playlistTrack)
    }
    row[10] = .time(record.at)
    row[11] = sequence
    try store.put(row, in: Tables.playlist)
  }

  private func list(
    of event: PlaylistTracksSnapshotted, base: Value, _ store: some RowStore
  ) throws -> [String] {
    let known = base == .null ? [] : try TrackList.ids(of: event.playlistID, at: base, store)
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
    if let excess = EventLimits.places(list.count, ofTracks: members.count) {
      throw ProjectionError(.contradiction, "\(excess)")
    }
    for track in tracks where !members.contains(track.id) {
      throw ProjectionError(
        .contradiction, "track \(track.id) is described and is not in the playlist")
    }
    let described = Set(tracks.map(\.id))
    // In the order of the list: which of several is named must not depend on a hash.
    for id in list where !described.contains(id) {
      guard try store.row(in: Tables.musicTrackCache, key: [.text(id)]) != nil else {
        throw ProjectionError(.contradiction, "track \(id) was never described")
      }
    }
  }

  /// Notes the tracks that are described, and when each of the list was seen.
  private func note(
    _ tracks: [PlaylistTracksSnapshotted.Track], of list: [String], _ record: EventRecord,
    _ store: some RowStore
  ) throws {
    for track in tracks {
      try store.put(
        [
          .text(track.id), .text(track.title), .text(track.artist), .text(track.album),
          .real(track.duration), .text(track.artworkURL), .time(record.at),
        ], in: Tables.musicTrackCache)
      try store.put([.text(track.id), .text(track.type)], in: Tables.track)
    }
    var seen = Set(tracks.map(\.id))
    for id in list where seen.insert(id).inserted {
      guard var row = try store.row(in: Tables.musicTrackCache, key: [.text(id)]) else { continue }
      row[6] = .time(record.at)
      try store.put(row, in: Tables.musicTrackCache)
    }
  }

  /// The row that says which playlist an item stands for.
  ///
  /// - Throws: `ProjectionError` with `contradiction` if it stands for none, or another one.
  private func reference(
    of item: EntityID, to playlist: String, _ store: some RowStore
  ) throws -> [Value] {
    guard let row = try store.row(in: Tables.musicPlaylistRef, key: [.id(item)]),
      row[1] == .text(playlist)
    else {
      throw ProjectionError(
        .contradiction, "item \(item) does not stand for playlist \(playlist)")
    }
    return row
  }

  /// Notes when a playlist was looked at last with something new.
  private func synchronised(
    _ reference: [Value], _ record: EventRecord, _ store: some RowStore
  ) throws {
    var row = reference
    row[2] = .time(record.at)
    try store.put(row, in: Tables.musicPlaylistRef)
  }

  /// What is known of an item's playlist; a row of nothing where that is nothing.
  private func playlist(of item: EntityID, _ store: some RowStore) throws -> [Value] {
    if let row = try store.row(in: Tables.playlist, key: [.id(item)]) { return row }
    var row = Array(repeating: Value.null, count: Tables.playlist.columns.count)
    row[0] = .id(item)
    return row
  }

  private func removeTracks(
    of playlist: Value, _ store: some RowStore, where isOld: ([Value]) -> Bool
  ) throws {
    for row in try store.rows(by: Tables.tracksByPlaylist, equal: [playlist]) where isOld(row) {
      try store.remove(key: Tables.playlistTrack.key(of: row), from: Tables.playlistTrack)
    }
  }
}
