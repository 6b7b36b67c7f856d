import CatalogEngine
import TrackLibraryKind

/// The events that bring a library to what a document says.
struct ImportPlan {
  /// What is looked at.
  static let tables = [
    Track.table.description, TrackSource.table.description, TrackCollection.table.description,
    CollectionInfo.table.description, CollectionTrack.table.description, Song.table.description,
    SongAlias.table.description, Artwork.table.description, ImportedFile.table.description,
  ]

  let imported: ImportedLibrary
  private(set) var events: [TrackEvent] = []
  private(set) var remarks: [DocumentRemark]

  private let document: TrackDocument
  private let rows: ProvedRows
  private var songs: SongPlan
  /// Tracks in the order in which the document first names them.
  private var order: [EntityID] = []
  private var planned: [EntityID: TrackFacts] = [:]
  private var pictures: [String: Artwork] = [:]
  private var ids: [String: EntityID] = [:]

  init(_ document: TrackDocument, rows: ProvedRows) throws {
    self.document = document
    self.rows = rows
    remarks = document.remarks
    songs = SongPlan(rows)
    imported = ImportedLibrary(
      format: document.format.rawValue, name: document.name, sha256: document.sha256,
      tracks: Int64(Set(document.tracks.map(\.uri)).count),
      collections: Int64(document.playlists.count),
      identified: Int64(
        Set(document.tracks.filter { $0.isrc != nil || $0.appleMusicID != nil }.map(\.uri)).count))
    // A library that moved in has moved in: what changed here since is newer.
    if document.format == .libraryJSON,
      try rows.row(of: ImportedFile.table, key: document.sha256) != nil
    {
      return
    }
    for track in document.tracks { try add(track) }
    try compareTracks()
    for playlist in document.playlists { try add(playlist) }
    if !events.isEmpty { events.insert(.libraryImported(imported), at: 0) }
    remarks += songs.remarks
  }

  // MARK: Tracks

  private mutating func add(_ track: DocumentTrack) throws {
    if let id = ids[track.uri] {
      if let other = track.id, other != id { remarkDuplicate(track, id) }
      planned[id] = planned[id]?.filled(by: track)
      return
    }
    let id = try id(of: track)
    ids[track.uri] = id
    order.append(id)
    let known = try facts(of: id)
    var facts =
      if let known, document.format.isPoor { known.filled(by: track) } else {
        TrackFacts(track, id: id, known: known)
      }
    if let picture = track.artwork {
      let artwork = Artwork(picture)
      facts.artwork = artwork.sha256
      pictures[artwork.sha256] = artwork
    }
    facts.song = try songs.song(of: track, known: known?.song)
    planned[id] = facts
  }

  /// The track that a document means: by its URI, else by the id that it gives.
  private mutating func id(of track: DocumentTrack) throws -> EntityID {
    // A track that this document moves to another place leaves the URI free.
    if let known = try rows.rows(of: TrackSource.table, where: \.uri, is: track.uri).first,
      planned[known.trackID] == nil
    {
      if let other = track.id, other != known.trackID { remarkDuplicate(track, known.trackID) }
      return known.trackID
    }
    if let id = track.id {
      guard planned[id] == nil else { return try freeID(for: track.uri) }
      return id
    }
    return try freeID(for: track.uri)
  }

  /// The id that follows from a URI. A file that moved may have it: then the next one.
  private func freeID(for uri: String) throws -> EntityID {
    var name = uri
    while true {
      let id = NameBasedID.track(name)
      if planned[id] == nil, try rows.row(of: TrackSource.table, key: id) == nil { return id }
      name += "\n"
    }
  }

  private mutating func remarkDuplicate(_ track: DocumentTrack, _ id: EntityID) {
    remarks.append(
      DocumentRemark(
        place: track.place, message: "\(track.uri) is the track \(id) already; used as that"))
  }

  /// What the rows say of a track; nil for one that is new.
  private func facts(of id: EntityID) throws -> TrackFacts? {
    guard let track = try rows.row(of: Track.table, key: id),
      let source = try rows.row(of: TrackSource.table, key: id)
    else { return nil }
    return TrackFacts(track, source)
  }

  private mutating func compareTracks() throws {
    events += songs.events
    var added: Set<String> = []
    for id in order {
      guard let facts = planned[id], try facts != self.facts(of: id) else { continue }
      if let hash = facts.artwork, let picture = pictures[hash], added.insert(hash).inserted,
        try rows.row(of: Artwork.table, key: hash) == nil
      {
        events.append(.artworkAdded(picture))
      }
      events.append(.trackUpserted(facts))
    }
  }

  // MARK: Playlists

  private mutating func add(_ playlist: DocumentPlaylist) throws {
    let known = try rows.row(of: TrackCollection.table, key: playlist.id)
    let info = try rows.row(of: CollectionInfo.table, key: playlist.id)
    let facts = CollectionFacts(
      id: playlist.id, name: playlist.name,
      description: playlist.description ?? info?.description,
      artworkURL: playlist.artworkURL ?? info?.artworkURL)
    if known?.name != facts.name || info?.description != facts.description
      || info?.artworkURL != facts.artworkURL
    {
      events.append(.collectionUpserted(facts))
    }
    let tracks = playlist.uris.compactMap { ids[$0] }
    let old = try rows.rows(of: CollectionTrack.table, where: \.collectionID, is: playlist.id)
    if old.map(\.trackID) != tracks {
      events.append(.collectionTracksSet(playlist.id, tracks))
    }
  }
}

extension TrackDocument.Format {
  /// Whether what it says of a track that is known is worth less than what is known.
  fileprivate var isPoor: Bool {
    switch self {
    case .m3u, .folder: true
    case .libraryJSON, .iTunes, .spotify, .appleMusic: false
    }
  }
}

extension TrackFacts {
  /// What the rows say of a track.
  init(_ track: Track, _ source: TrackSource) {
    self.init(
      id: track.id, title: track.title, artist: track.artist, album: track.album,
      albumArtist: track.albumArtist, duration: track.duration, fileURL: track.fileURL,
      artworkURL: track.artworkURL, artwork: track.artworkData.map { Artwork($0).sha256 },
      genre: track.genre, year: track.year, trackNumber: track.trackNumber, source: source.source,
      uri: source.uri, song: source.songID, dateAdded: source.dateAdded)
  }

  /// What a document says of a track; what it does not say is as it was.
  fileprivate init(_ track: DocumentTrack, id: EntityID, known: TrackFacts?) {
    self.init(
      id: id, title: track.title, artist: track.artist ?? known?.artist ?? "",
      album: track.album ?? known?.album ?? "",
      albumArtist: track.albumArtist ?? known?.albumArtist,
      duration: track.duration ?? known?.duration ?? 0,
      // One place in another spelling is no news.
      fileURL: known.flatMap { $0.uri == track.uri ? $0.fileURL : nil } ?? track.fileURL,
      artworkURL: track.artworkURL ?? known?.artworkURL, artwork: known?.artwork,
      genre: track.genre ?? known?.genre, year: track.year ?? known?.year,
      trackNumber: track.trackNumber ?? known?.trackNumber, source: track.source, uri: track.uri,
      dateAdded: known?.dateAdded ?? track.dateAdded)
  }

  /// With what a document says of the track where nothing was known.
  fileprivate func filled(by track: DocumentTrack) -> TrackFacts {
    var facts = self
    if facts.artist.isEmpty { facts.artist = track.artist ?? "" }
    if facts.album.isEmpty { facts.album = track.album ?? "" }
    if facts.duration == 0 { facts.duration = track.duration ?? 0 }
    facts.albumArtist = facts.albumArtist ?? track.albumArtist
    facts.artworkURL = facts.artworkURL ?? track.artworkURL
    facts.genre = facts.genre ?? track.genre
    facts.year = facts.year ?? track.year
    facts.trackNumber = facts.trackNumber ?? track.trackNumber
    return facts
  }
}
