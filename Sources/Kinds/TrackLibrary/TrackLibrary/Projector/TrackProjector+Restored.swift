import CatalogEngine

/// Makes the rows that follow from rows which an event brought back.
extension TrackProjector {
  func updateDerivedRows(_ restored: [RestoredRow]) throws {
    for row in restored {
      let values = row.after ?? row.before
      guard let values else { continue }
      if row.table === Song.table.description {
        try updateDerivedRows(song: row)
      } else if row.table === SourceTagging.table.description {
        try updateDerivedRows(SourceTagging.table.row(values))
      } else if row.table === Track.table.description {
        try updateDerivedRows(track: Track.table.row(values).id)
      } else if row.table === TrackSource.table.description {
        try updateDerivedRows(track: TrackSource.table.row(values).trackID)
      } else if row.table === TrackText.table.description {
        // Its number may be another one now.
        if let before = try row.before.map(TrackText.table.row) {
          try rows.remove(of: TrackWords.table, key: before.number)
        }
        try updateDerivedRows(track: TrackText.table.row(values).trackID)
      } else if row.table === TrackOrder.table.description {
        try updateDerivedRows(track: row)
      } else if row.table === TrackCollection.table.description {
        try updateDerivedRows(collection: TrackCollection.table.row(values).id)
      } else if row.table === CollectionTrack.table.description {
        try updateDerivedRows(collection: CollectionTrack.table.row(values).collectionID)
      }
    }
  }

  /// A server has to have the song as it is again. One that a server has is not gone before the server removed it.
  private func updateDerivedRows(song row: RestoredRow) throws {
    let known = try row.before.map(Song.table.row)
    guard var song = try row.after.map(Song.table.row) else {
      guard var known else { return }
      // It waits for the server already.
      if known.syncStatus == .pendingDelete { return try rows.put(known, in: Song.table) }
      try rows.remove(of: SongChange.table, key: known.id)
      try rows.remove(of: SongOrder.table, key: known.id)
      guard known.syncStatus != .pending else { return }
      known.syncStatus = .pendingDelete
      return try write(known)
    }
    if song.syncStatus == .synced { song.syncStatus = .pending }
    try write(song)
  }

  /// The song has the tag if any source gives it.
  private func updateDerivedRows(_ tagging: SourceTagging) throws {
    let givers = try rows.rows(of: SourceTagging.table, where: \.songID, is: tagging.songID)
    if givers.contains(where: { $0.tagID == tagging.tagID }) {
      try rows.put(
        SongTagging(songID: tagging.songID, tagID: tagging.tagID), in: SongTagging.table)
    } else {
      try rows.remove(of: SongTagging.table, key: tagging.songID, tagging.tagID)
    }
  }

  /// Makes the words by which a track is found, and by which it is in the lists: those of its other rows, once both are back.
  private func updateDerivedRows(track id: EntityID) throws {
    guard let track = try rows.row(of: Track.table, key: id),
      let source = try rows.row(of: TrackSource.table, key: id)
    else { return }
    if var text = try rows.rows(of: TrackText.table, where: \.trackID, is: id).first {
      (text.title, text.artist, text.album) = (track.title, track.artist, track.album)
      try rows.put(text, in: TrackText.table)
      try rows.put(TrackWords(text), in: TrackWords.table)
    }
    guard let known = try rows.row(of: TrackOrder.table, key: id) else { return }
    let order = TrackOrder(track, source)
    guard order != known else { return }
    try rows.put(order, in: TrackOrder.table)
    try add(order.milliseconds - known.milliseconds, wherever: id)
  }

  /// A playlist may have had the place before the track is there again.
  private func updateDerivedRows(track row: RestoredRow) throws {
    let known = try row.before.map(TrackOrder.table.row)
    let order = try row.after.map(TrackOrder.table.row)
    guard let track = (order ?? known)?.trackID else { return }
    try add((order?.milliseconds ?? 0) - (known?.milliseconds ?? 0), wherever: track)
  }

  /// Makes what a list of playlists shows of one.
  private func updateDerivedRows(collection id: EntityID) throws {
    guard let collection = try rows.row(of: TrackCollection.table, key: id) else {
      return try rows.remove(of: CollectionOrder.table, key: id)
    }
    let places = try rows.rows(of: CollectionTrack.table, where: \.collectionID, is: id)
    let lengths = try places.map {
      try rows.row(of: TrackOrder.table, key: $0.trackID)?.milliseconds ?? 0
    }
    try rows.put(
      CollectionOrder(
        collectionID: id, name: TrackOrder.key(collection.name), trackCount: Int64(places.count),
        milliseconds: lengths.reduce(0, +)),
      in: CollectionOrder.table)
  }
}
