import CatalogEngine

/// Songs and their names.
extension TrackProjector {
  /// The song that has an id as its own or as another name.
  func song(named name: String) throws -> Song? {
    if let song = try rows.row(of: Song.table, key: name) { return song }
    guard let alias = try rows.row(of: SongAlias.table, key: name) else { return nil }
    return try rows.row(of: Song.table, key: alias.songID)
  }

  func upsert(_ facts: SongFacts) throws {
    let known = try rows.row(of: Song.table, key: facts.id)
    if known == nil, let alias = try rows.row(of: SongAlias.table, key: facts.id) {
      throw ProjectionError(
        contradiction: "\(facts.id) is another name of the song \(alias.songID)")
    }
    try write(
      Song(
        id: facts.id, title: facts.title, artist: facts.artist, artworkURL: facts.artworkURL,
        dateAdded: known?.dateAdded ?? at, syncStatus: .pending))
  }

  /// Moves all that a song has to the song of a better id, and keeps the old id as another name.
  func identify(_ from: String, as to: String) throws {
    let old = try rows.row(of: Song.table, key: from)
    let known = try song(named: to)
    guard from != to, known == nil || known?.id != from else {
      throw ProjectionError(contradiction: "\(to) is the song \(from) already")
    }
    guard let song = known ?? old else { throw noSong(from) }
    let target = known?.id ?? to
    guard let old else {
      // Nobody had a song of the old id: it is a name from now on.
      return try rows.put(SongAlias(alias: from, songID: target), in: SongAlias.table)
    }
    try write(
      Song(
        id: target, title: song.title, artist: song.artist, artworkURL: song.artworkURL,
        dateAdded: min(old.dateAdded, song.dateAdded),
        syncStatus: old.syncStatus == .pendingDelete && song.syncStatus == .pendingDelete
          ? .pendingDelete : .pending))
    for tagging in try rows.rows(of: SourceTagging.table, where: \.songID, is: from) {
      try rows.put(
        SourceTagging(songID: target, source: tagging.source, tagID: tagging.tagID),
        in: SourceTagging.table)
      try rows.put(SongTagging(songID: target, tagID: tagging.tagID), in: SongTagging.table)
    }
    for var source in try rows.rows(of: TrackSource.table, where: \.songID, is: from) {
      source.songID = target
      try rows.put(source, in: TrackSource.table)
    }
    for alias in try rows.rows(of: SongAlias.table, where: \.songID, is: from) {
      try rows.put(SongAlias(alias: alias.alias, songID: target), in: SongAlias.table)
    }
    try erase(from)
    try rows.put(SongAlias(alias: from, songID: target), in: SongAlias.table)
  }

  /// Marks a song for its removal from the server. Its tags go at once.
  func remove(song name: String) throws {
    guard var song = try song(named: name) else { throw noSong(name) }
    song.syncStatus = .pendingDelete
    try removeTags(of: song.id)
    try write(song)
  }

  /// Notes that a server has a song as it was after an event. What changed since stays pending.
  func sync(_ name: String, through: Int64) throws {
    guard var song = try song(named: name) else { throw noSong(name) }
    if let change = try rows.row(of: SongChange.table, key: song.id), change.sequence > through {
      return
    }
    guard song.syncStatus != .pendingDelete else { return try erase(song.id) }
    song.syncStatus = .synced
    try rows.put(song, in: Song.table)
  }

  /// Writes a song that changed: a server has to have it anew.
  func write(_ song: Song) throws {
    try rows.put(song, in: Song.table)
    try rows.put(
      SongOrder(
        songID: song.id, artist: TrackOrder.key(song.artist), title: TrackOrder.key(song.title)),
      in: SongOrder.table)
    try rows.put(SongChange(songID: song.id, sequence: number), in: SongChange.table)
  }

  /// Removes a song's row with what belongs to it, as the foreign keys of the schema say. Its tracks stay.
  private func erase(_ id: String) throws {
    try removeTags(of: id)
    for alias in try rows.rows(of: SongAlias.table, where: \.songID, is: id) {
      try rows.remove(of: SongAlias.table, key: alias.alias)
    }
    for var source in try rows.rows(of: TrackSource.table, where: \.songID, is: id) {
      source.songID = nil
      try rows.put(source, in: TrackSource.table)
    }
    try rows.remove(of: SongChange.table, key: id)
    try rows.remove(of: SongOrder.table, key: id)
    try rows.remove(of: Song.table, key: id)
  }

  private func removeTags(of song: String) throws {
    for tagging in try rows.rows(of: SourceTagging.table, where: \.songID, is: song) {
      try rows.remove(of: SourceTagging.table, key: song, tagging.source, tagging.tagID)
      try rows.remove(of: SongTagging.table, key: song, tagging.tagID)
    }
  }
}
