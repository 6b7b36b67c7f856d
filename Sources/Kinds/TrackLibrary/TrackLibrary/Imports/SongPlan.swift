import CatalogEngine

/// The songs of a document's tracks, and the events that make them known.
struct SongPlan {
  private(set) var events: [TrackEvent] = []
  private(set) var remarks: [DocumentRemark] = []
  private let rows: ProvedRows
  /// What the events before make of ids: the song that each is, or is another name of.
  private var planned: [String: String] = [:]

  init(_ rows: ProvedRows) {
    self.rows = rows
  }

  /// The song that a track is a recording of.
  ///
  /// - Parameter known: that of the rows. It stays where the document names none, or a worse id.
  mutating func song(of track: DocumentTrack, known: String?) throws -> String? {
    guard let isrc = track.isrc else {
      guard let apple = track.appleMusicID else { return known }
      guard let known else { return try add(apple, track) }
      // One that is to be removed comes back.
      let song = try add(known, track)
      // The track's song is known by another id: this is a name of it too.
      if try resolved(apple) == nil { identify(apple, as: song) }
      return song
    }
    // An id of Apple Music under which the track's song was known until now.
    let earlier = known.flatMap { SongID.isrc($0) == nil ? $0 : nil }
    for apple in [track.appleMusicID, earlier].compactMap({ $0 }) where apple != isrc {
      switch try resolved(apple) {
      case nil:
        let song = try add(isrc, track)
        if try resolved(apple) == nil { identify(apple, as: song) }
      case isrc?: break
      case apple?: identify(apple, as: try resolved(isrc) ?? isrc)
      case let other?:
        remarks.add(
          track.place, "\(apple) is the song \(other) already; the track is of \(isrc) now")
      }
    }
    return try add(isrc, track)
  }

  /// What the song that was planned under an id is called by now.
  func current(_ id: String) -> String { planned[id] ?? id }

  /// Makes a song known as a document describes it, and its other names. One that is known keeps its title.
  mutating func add(_ song: DocumentSong, place: String) throws {
    let id = try add(song.id, song.title, song.artist, song.artworkURL)
    for other in song.otherIDs {
      switch try resolved(other) {
      case nil: identify(other, as: id)
      case id?: break
      case let known?:
        remarks.add(place, "\(other) is the song \(known) already, and no other name of \(id)")
      }
    }
  }

  private mutating func add(_ id: String, _ track: DocumentTrack) throws -> String {
    try add(
      id, track.title ?? TrackURI.name(of: track.uri), track.artist ?? "", track.artworkURL)
  }

  /// - Parameter artworkURL: nil or empty if there is none.
  private mutating func add(
    _ id: String, _ title: String, _ artist: String, _ artworkURL: String?
  ) throws -> String {
    if let song = try resolved(id) { return song }
    // One that is to be removed comes back under the id that it has.
    let song = try rows.songID(of: id)
    events.append(
      .songUpserted(
        SongFacts(
          id: song, title: title, artist: artist,
          artworkURL: artworkURL.flatMap { $0.isEmpty ? nil : $0 })))
    planned[id] = song
    planned[song] = song
    return song
  }

  private mutating func identify(_ from: String, as to: String) {
    events.append(.songIdentified(from: from, to: to))
    // Names of a song that the document brought before; most ids are new.
    if planned[from] != nil {
      for (name, song) in planned where song == from { planned[name] = to }
    }
    planned[from] = to
    planned[to] = to
  }

  /// The song that has an id as its own or as another name; nil if there is none, or one that is to be removed.
  private func resolved(_ name: String) throws -> String? {
    if let song = planned[name] { return song }
    let id = try rows.songID(of: name)
    if let song = planned[id] { return song }
    guard let song = try rows.row(of: Song.table, key: id) else { return nil }
    return song.syncStatus == .pendingDelete ? nil : song.id
  }
}
