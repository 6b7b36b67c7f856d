import CatalogEngine

/// Tags, and which songs have them.
extension TrackProjector {
  func add(_ tag: LibraryTag) throws {
    if let known = try rows.row(of: LibraryTag.table, key: tag.id) {
      guard known != tag else { return }
      throw ProjectionError(contradiction: "\(tag.id) is the tag \"\(known.name)\" already")
    }
    try requireFree(tag.name, for: tag.id)
    try rows.put(tag, in: LibraryTag.table)
  }

  func change(_ id: EntityID, _ name: String, _ hexColor: String) throws {
    try requireOwn(id)
    try requireFree(name, for: id)
    try rows.put(
      LibraryTag(id: id, name: name, hexColor: hexColor, isSystemTag: false), in: LibraryTag.table)
    for tagging in try rows.rows(of: SongTagging.table, where: \.tagID, is: id) {
      try touch(tagging.songID)
    }
  }

  func remove(tag id: EntityID) throws {
    try requireOwn(id)
    for tagging in try rows.rows(of: SourceTagging.table, where: \.tagID, is: id) {
      try rows.remove(of: SourceTagging.table, key: tagging.songID, tagging.source, id)
    }
    for tagging in try rows.rows(of: SongTagging.table, where: \.tagID, is: id) {
      try rows.remove(of: SongTagging.table, key: tagging.songID, id)
      try touch(tagging.songID)
    }
    try rows.remove(of: LibraryTag.table, key: id)
  }

  func setTags(of name: String, by source: String, _ tags: [EntityID]) throws {
    guard let song = try song(named: name), song.syncStatus != .pendingDelete else {
      throw noSong(name)
    }
    for tag in tags where try rows.row(of: LibraryTag.table, key: tag) == nil { throw noTag(tag) }
    let all = try rows.rows(of: SourceTagging.table, where: \.songID, is: song.id)
    let wanted = Set(tags)
    let others = Set(all.filter { $0.source != source }.map(\.tagID))
    for tagging in all where tagging.source == source && !wanted.contains(tagging.tagID) {
      try rows.remove(of: SourceTagging.table, key: song.id, source, tagging.tagID)
      if !others.contains(tagging.tagID) {
        try rows.remove(of: SongTagging.table, key: song.id, tagging.tagID)
      }
    }
    for tag in wanted.sorted() {
      try rows.put(
        SourceTagging(songID: song.id, source: source, tagID: tag), in: SourceTagging.table)
      try rows.put(SongTagging(songID: song.id, tagID: tag), in: SongTagging.table)
    }
    try touch(song.id)
  }

  /// Notes that a server has to have a song anew.
  private func touch(_ id: String) throws {
    guard var song = try rows.row(of: Song.table, key: id) else { return }
    song.syncStatus = .pending
    try write(song)
  }

  private func requireOwn(_ id: EntityID) throws {
    guard let tag = try rows.row(of: LibraryTag.table, key: id) else { throw noTag(id) }
    guard !tag.isSystemTag else {
      throw ProjectionError(contradiction: "\"\(tag.name)\" is a system tag and stays as it is")
    }
  }

  private func requireFree(_ name: String, for id: EntityID) throws {
    let others = try rows.rows(of: LibraryTag.table, where: \.name, is: name)
    guard let other = others.first, other.id != id else { return }
    throw ProjectionError(contradiction: "the tag \(other.id) has the name \"\(name)\" already")
  }
}
