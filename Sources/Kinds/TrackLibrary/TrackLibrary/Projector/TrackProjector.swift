import CatalogEngine

/// Turns events into rows. Whatever it decides, it decides by the event and the rows.
struct TrackProjector<Rows: RowStore> {
  let rows: Rows
  /// When the event happened.
  let at: Timestamp
  /// The event's number in the log.
  let number: Int64

  // MARK: Tracks

  func upsert(_ facts: TrackFacts) throws {
    if let other = try rows.rows(of: TrackSource.table, where: \.uri, is: facts.uri).first,
      other.trackID != facts.id
    {
      throw ProjectionError(contradiction: "\(facts.uri) is the track \(other.trackID) already")
    }
    let songID = try facts.song.map { name in
      guard let song = try song(named: name) else { throw noSong(name) }
      return song.id
    }
    let picture = try facts.artwork.map { hash in
      guard let artwork = try rows.row(of: Artwork.table, key: hash) else {
        throw ProjectionError(contradiction: "there is no picture \(hash)")
      }
      return artwork.data
    }
    let known = try rows.row(of: TrackOrder.table, key: facts.id)
    let text = try text(of: facts.id)
    let track = Track(facts, picture)
    let source = TrackSource(
      trackID: facts.id, source: facts.source, uri: facts.uri, songID: songID,
      dateAdded: facts.dateAdded ?? known?.dateAdded ?? at)
    try rows.put(track, in: Track.table)
    try rows.put(source, in: TrackSource.table)
    let order = TrackOrder(track, source)
    try rows.put(order, in: TrackOrder.table)
    if let known { try add(order.milliseconds - known.milliseconds, wherever: facts.id) }
    let texts = TrackText(
      number: text?.number ?? number, trackID: facts.id, title: facts.title, artist: facts.artist,
      album: facts.album)
    try rows.put(texts, in: TrackText.table)
    try rows.put(TrackWords(texts), in: TrackWords.table)
  }

  /// Removes a track with what belongs to it, as the foreign keys of the schema say, and closes the gaps that it leaves.
  func remove(track id: EntityID) throws {
    guard try rows.row(of: Track.table, key: id) != nil else { throw noTrack(id) }
    let places = try rows.rows(of: CollectionTrack.table, where: \.trackID, is: id)
    let length = try rows.row(of: TrackOrder.table, key: id)?.milliseconds ?? 0
    for collection in Set(places.map(\.collectionID)).sorted() {
      let known = try rows.tracks(of: collection)
      let kept = known.filter { $0 != id }
      try write(kept, to: collection)
      let order = try rows.row(of: CollectionOrder.table, key: collection)
      try total(
        kept.count, (order?.milliseconds ?? 0) - length * Int64(known.count - kept.count),
        of: collection)
    }
    if let text = try text(of: id) {
      try rows.remove(of: TrackText.table, key: text.number)
      try rows.remove(of: TrackWords.table, key: text.number)
    }
    try rows.remove(of: TrackOrder.table, key: id)
    try rows.remove(of: TrackSource.table, key: id)
    try rows.remove(of: Track.table, key: id)
  }

  /// Counts a play.
  func play(_ id: EntityID) throws {
    guard try rows.row(of: TrackSource.table, key: id) != nil else { throw noTrack(id) }
    var play =
      try rows.row(of: TrackPlay.table, key: id)
      ?? TrackPlay(trackID: id, lastPlayedAt: at, firstPlayedAt: at, playCount: 0)
    // Clocks may be set back between two plays.
    play.lastPlayedAt = max(play.lastPlayedAt, at)
    play.playCount = play.playCount &+ 1
    try rows.put(play, in: TrackPlay.table)
    try rows.put(CountedPlay(trackID: id, sequence: number), in: CountedPlay.table)
  }

  func keep(_ artwork: Artwork) throws {
    try rows.put(artwork, in: Artwork.table)
  }

  func note(_ library: ImportedLibrary) throws {
    try rows.put(library, in: ImportedFile.table)
  }

  /// Makes the playlists that have a track longer, once for each place that it has there.
  func add(_ milliseconds: Int64, wherever track: EntityID) throws {
    guard milliseconds != 0 else { return }
    for place in try rows.rows(of: CollectionTrack.table, where: \.trackID, is: track) {
      guard var order = try rows.row(of: CollectionOrder.table, key: place.collectionID) else {
        continue
      }
      order.milliseconds += milliseconds
      try rows.put(order, in: CollectionOrder.table)
    }
  }

  private func text(of track: EntityID) throws -> TrackText? {
    try rows.rows(of: TrackText.table, where: \.trackID, is: track).first
  }

  // MARK: Collections

  func upsert(_ facts: CollectionFacts) throws {
    let known = try rows.row(of: CollectionInfo.table, key: facts.id)
    let order = try rows.row(of: CollectionOrder.table, key: facts.id)
    try rows.put(TrackCollection(id: facts.id, name: facts.name), in: TrackCollection.table)
    try rows.put(
      CollectionOrder(
        collectionID: facts.id, name: TrackOrder.key(facts.name),
        trackCount: order?.trackCount ?? 0, milliseconds: order?.milliseconds ?? 0),
      in: CollectionOrder.table)
    try rows.put(
      CollectionInfo(
        collectionID: facts.id, description: facts.description, artworkURL: facts.artworkURL,
        dateCreated: known?.dateCreated ?? at, dateModified: at),
      in: CollectionInfo.table)
  }

  func remove(collection id: EntityID) throws {
    guard try rows.row(of: TrackCollection.table, key: id) != nil else { throw noCollection(id) }
    for place in try rows.rows(of: CollectionTrack.table, where: \.collectionID, is: id) {
      try rows.remove(of: CollectionTrack.table, key: id, place.position)
    }
    try rows.remove(of: CollectionInfo.table, key: id)
    try rows.remove(of: CollectionOrder.table, key: id)
    try rows.remove(of: TrackCollection.table, key: id)
  }

  func changeTracks(_ change: CollectionTracksChange) throws {
    guard let tracks = change.tracks(from: try rows.tracks(of: change.id)) else {
      throw ProjectionError(
        contradiction: "the playlist \(change.id) has other tracks than the change begins with")
    }
    try setTracks(of: change.id, tracks)
  }

  func setTracks(of id: EntityID, _ tracks: [EntityID]) throws {
    guard try rows.row(of: TrackCollection.table, key: id) != nil else { throw noCollection(id) }
    var lengths: [EntityID: Int64] = [:]
    for track in Set(tracks).sorted() {
      guard let order = try rows.row(of: TrackOrder.table, key: track) else { throw noTrack(track) }
      lengths[track] = order.milliseconds
    }
    try write(tracks, to: id)
    try total(tracks.count, tracks.reduce(0) { $0 + (lengths[$1] ?? 0) }, of: id)
  }

  /// Notes how many tracks a playlist has, and how long they are together.
  private func total(_ count: Int, _ milliseconds: Int64, of collection: EntityID) throws {
    guard var order = try rows.row(of: CollectionOrder.table, key: collection) else { return }
    order.trackCount = Int64(count)
    order.milliseconds = milliseconds
    try rows.put(order, in: CollectionOrder.table)
  }

  /// Writes the places that differ, and when that was.
  private func write(_ tracks: [EntityID], to collection: EntityID) throws {
    let known = try rows.tracks(of: collection)
    for (position, track) in tracks.enumerated()
    where position >= known.count || known[position] != track {
      try rows.put(
        CollectionTrack(collectionID: collection, trackID: track, position: Int64(position)),
        in: CollectionTrack.table)
    }
    for position in tracks.count..<max(tracks.count, known.count) {
      try rows.remove(of: CollectionTrack.table, key: collection, Int64(position))
    }
    guard var info = try rows.row(of: CollectionInfo.table, key: collection) else { return }
    info.dateModified = at
    try rows.put(info, in: CollectionInfo.table)
  }

  // MARK: What is not there

  func noTrack(_ id: EntityID) -> ProjectionError {
    ProjectionError(contradiction: "there is no track \(id)")
  }

  func noCollection(_ id: EntityID) -> ProjectionError {
    ProjectionError(contradiction: "there is no playlist \(id)")
  }

  func noSong(_ id: String) -> ProjectionError {
    ProjectionError(contradiction: "there is no song \(id)")
  }

  func noTag(_ id: EntityID) -> ProjectionError {
    ProjectionError(contradiction: "there is no tag \(id)")
  }
}
