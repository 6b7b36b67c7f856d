import CatalogEngine
import Foundation

/// The events that bring a library to what a set of documents says.
///
/// Documents are applied in an order of their own, whatever the order in which they are named: what gives tracks their
/// ids comes first, what only names files comes last (`TrackDocument.Format.rank`). The events lead from the rows to
/// what is said in the end: the same set again changes nothing. Documents that contradict each other are read one after
/// the other, each as if the ones before were true.
struct ImportPlan {
  /// The tables that are read for some documents.
  static func tables(for documents: [TrackDocument]) -> [TableDescription] {
    documents.contains(where: \.hasTags)
      ? tables + [LibraryTag.table.description, SourceTagging.table.description] : tables
  }

  private static let tables = [
    Track.table.description, TrackSource.table.description, TrackCollection.table.description,
    CollectionInfo.table.description, CollectionTrack.table.description, Song.table.description,
    SongAlias.table.description, Artwork.table.description, ImportedFile.table.description,
    TrackLibraryKind.revertedTable.description,
  ]

  private(set) var events: [TrackEvent] = []
  private(set) var remarks: [DocumentRemark] = []

  private let rows: ProvedRows
  private var songs: SongPlan
  private let windows: CaseInsensitivePaths
  /// Tracks in the order in which the documents first name them.
  private var order: [EntityID] = []
  private var planned: [EntityID: TrackFacts] = [:]
  /// The facts of the tracks that were read. A picture is hashed once.
  private var known: [EntityID: TrackFacts?] = [:]
  private var pictures: [String: Artwork] = [:]
  private(set) var hashes = PictureHashes()
  private var ids: [String: EntityID] = [:]
  private var playlists = PlaylistPlan()
  /// Playlists that would have no track any more, or none of those that they have.
  private(set) var lostPlaylists: [LostPlaylist] = []
  /// What the document that is being added named already.
  private var named = Named()

  private struct Named {
    var uris: Set<String> = []
    var tracks: Set<EntityID> = []
    /// Those that it moves, if it did not come to them yet.
    var moving: Set<EntityID> = []
  }

  /// The operation that imported one of the documents, if that is reverted and the document stays so. A document that would
  /// change no more than the record of which documents were imported does not stay reverted.
  private(set) var reverted: RevertedRow?
  /// The events if documents did not stay reverted, without that record; nil if none does.
  private(set) var alternative: PlannedEvents<TrackEvent>?
  /// Remarks about documents that stay reverted.
  private var revertedRemarks: [DocumentRemark] = []

  /// - Parameter takesReverted: whether the events bring back what reverts took of the documents.
  init(_ documents: [TrackDocument], takesReverted: Bool = false, rows: ProvedRows) throws {
    try self.init(documents, rows, takesReverted: takesReverted)
    guard reverted != nil else { return }
    let whole = try ImportPlan(documents, rows, takesReverted: true).changes
    if whole == changes {
      reverted = nil
      remarks.removeAll(where: revertedRemarks.contains)
    } else {
      alternative = PlannedEvents(whole)
    }
  }

  /// The events without the record of which documents were imported.
  private var changes: [TrackEvent] {
    events.filter { if case .libraryImported = $0 { false } else { true } }
  }

  private init(_ documents: [TrackDocument], _ rows: ProvedRows, takesReverted: Bool) throws {
    self.rows = rows
    songs = SongPlan(rows)
    windows = try CaseInsensitivePaths(documents, rows)
    var added: [ImportedLibrary] = []
    var taken: [TrackDocument] = []
    for document in documents.inImportOrder {
      remarks += document.remarks
      // A library that moved in has moved in: what changed here since is newer. But a revert of other operations may have taken
      // some of it, which a person can want again.
      if document.format == .libraryJSON,
        try rows.row(of: ImportedFile.table, key: document.sha256) != nil
      {
        let last = try rows.rows(of: TrackLibraryKind.revertedTable).max { $0.last < $1.last }
        if !takesReverted || last == nil {
          reverted = reverted ?? last
          remarks.add(
            document.path,
            "this library was imported before, and changes since are newer; left out")
          continue
        }
      }
      if !takesReverted,
        let reverted = try rows.reverted(
          document: document.sha256, in: TrackLibraryKind.revertedTable)
      {
        self.reverted = self.reverted ?? reverted
        revertedRemarks.add(
          document.path,
          "\(reverted): the document stays reverted; "
            + "`revert \(reverted.revertedBy)` takes that revert back")
        remarks += revertedRemarks.suffix(1)
        continue
      }
      named = Named()
      named.moving = try TrackRelocation(
        document.tracks,
        place: { try planned[$0]?.uri ?? rows.row(of: TrackSource.table, key: $0)?.uri },
        owner: owner
      ).ids
      for (place, song) in document.songs.enumerated() {
        try songs.add(song, place: "\(document.path): $.songs[\(place)]")
      }
      for track in document.tracks { try add(track, isPoor: document.format.isPoor) }
      try remarkLostFiles(of: document)
      for playlist in document.playlists {
        try playlists.add(playlist, of: document, rows, ids: { ids[TrackURI.key(of: $0)] })
      }
      added.append(ImportedLibrary(document))
      taken.append(document)
    }
    events += songs.events
    try compareTracks()
    events += try playlists.events(rows)
    events += try tagEvents(taken)
    lostPlaylists = try playlists.lost(rows)
    if !events.isEmpty { events.insert(contentsOf: added.map { .libraryImported($0) }, at: 0) }
    if takesReverted, !events.isEmpty,
      let reversal = try rows.taken(
        documents: Set(documents.map(\.sha256)), in: TrackLibraryKind.revertedTable)
    {
      events.append(.reversal(reversal))
    }
    remarks += songs.remarks
    remarkTracksWithoutSongs(documents)
  }

  private func tagEvents(_ documents: [TrackDocument]) throws -> [TrackEvent] {
    guard documents.contains(where: \.hasTags) else { return [] }
    var plan = try DocumentTagPlan(rows)
    for document in documents {
      for tag in document.tags { plan.add(tag) }
      for song in document.songs { try plan.set(song.tags, of: songs.current(song.id)) }
    }
    return plan.events
  }

  /// Answers that name songs have none for some tracks: one line says of how many.
  private mutating func remarkTracksWithoutSongs(_ documents: [TrackDocument]) {
    var all: Set<EntityID> = []
    var without: Set<EntityID> = []
    var first: DocumentTrack?
    for document in documents where document.format == .spotify || document.format == .appleMusic {
      for track in document.tracks {
        // What an answer names without describing it has its song elsewhere.
        guard track.title != nil, let id = ids[TrackURI.key(of: track.uri)],
          all.insert(id).inserted,
          planned[id]?.song == nil
        else { continue }
        without.insert(id)
        first = first ?? track
      }
    }
    guard let first else { return }
    let (count, total) = (without.count, all.count)
    let subject =
      switch (count, total) {
      case (1, 1): "the track has"
      case (total, _): "all \(total) tracks have"
      case (1, _): "1 of \(total) tracks has"
      default: "\(count) of \(total) tracks have"
      }
    remarks.add(
      first.place,
      "\(subject) neither an ISRC nor an id of Apple Music's catalog here, and "
        + "\(count == 1 ? "belongs" : "belong") to no song"
        + (count == 1 ? "" : "; the first is \(first.uri)"))
  }

  /// Says how many tracks have no file any more of those that were known below a folder: it was renamed, or they are gone.
  private mutating func remarkLostFiles(of document: TrackDocument) throws {
    guard document.format == .folder,
      let folder = TrackURI.file(path: URL(fileURLWithPath: document.path).path)
    else { return }
    let start = folder.hasSuffix("/") ? folder : folder + "/"
    let lost = try rows.rows(of: TrackSource.table).map(\.uri).filter { uri in
      guard uri.hasPrefix(start), !named.uris.contains(TrackURI.key(of: uri)) else { return false }
      return TrackURI.path(ofFile: uri).map { FolderListing.sort(of: Array($0.utf8)) == nil }
        ?? false
    }
    guard let first = lost.min() else { return }
    remarks.add(
      document.path,
      (lost.count == 1 ? "a track" : "\(lost.count) tracks")
        + " of this folder \(lost.count == 1 ? "has no file any more and stays" : "have no file any more and stay")"
        + " (\(lost.count == 1 ? "" : "the first is ")\(first))")
  }

  // MARK: Tracks

  private mutating func add(_ track: DocumentTrack, isPoor: Bool) throws {
    let key = TrackURI.key(of: track.uri)
    if !named.uris.insert(key).inserted, let id = ids[key], let before = planned[id] {
      if let other = track.id, other != id { remarkDuplicate(track, id) }
      var facts = before.filled(by: track)
      if facts.artwork == nil { facts.artwork = keep(track.artwork) }
      facts.song = try songs.song(of: track, known: before.song)
      planned[id] = facts
      return
    }
    let id = try id(of: track)
    named.tracks.insert(id)
    named.moving.remove(id)
    let known = try planned[id] ?? facts(of: id)
    if planned[id] == nil { order.append(id) }
    // Its place before is free for another track of the documents that follow.
    if let known, TrackURI.key(of: known.uri) != key, ids[TrackURI.key(of: known.uri)] == id {
      ids[TrackURI.key(of: known.uri)] = nil
    }
    ids[key] = id
    var facts =
      if let known, isPoor { known.filled(by: track) } else {
        TrackFacts(track, id: id, known: known)
      }
    if !isPoor || facts.artwork == nil { facts.artwork = keep(track.artwork) ?? facts.artwork }
    facts.song = try songs.song(of: track, known: known?.song)
    planned[id] = facts
  }

  /// The hash of a picture, which is kept for the case that its track changes.
  private mutating func keep(_ picture: [UInt8]?) -> String? {
    guard let artwork = picture.map({ hashes.artwork($0) }) else { return nil }
    pictures[artwork.sha256] = artwork
    return artwork.sha256
  }

  /// The track that a document means: by its URI, else by the id that it gives.
  private mutating func id(of track: DocumentTrack) throws -> EntityID {
    if let known = try owner(of: track.uri), !named.moving.contains(known) {
      if let other = track.id, other != known { remarkDuplicate(track, known) }
      return known
    }
    if let id = track.id, !named.tracks.contains(id) { return id }
    return try freeID(for: track.uri)
  }

  /// The track that has a URI; nil if the documents moved it away.
  private func owner(of uri: String) throws -> EntityID? {
    if let id = ids[TrackURI.key(of: uri)] { return id }
    let known =
      try rows.rows(of: TrackSource.table, where: \.uri, is: uri).first?.trackID
      ?? windows.id(of: uri)
    return known.flatMap { planned[$0] == nil ? $0 : nil }
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
    remarks.add(track.place, "\(track.uri) is the track \(id) already; used as that")
  }

  /// What the rows say of a track; nil for one that is new.
  private mutating func facts(of id: EntityID) throws -> TrackFacts? {
    if let facts = known[id] { return facts }
    var facts: TrackFacts?
    if let track = try rows.row(of: Track.table, key: id),
      let source = try rows.row(of: TrackSource.table, key: id)
    {
      facts = TrackFacts(
        track, source, artwork: track.artworkData.map { hashes.artwork($0).sha256 })
    }
    known[id] = .some(facts)
    return facts
  }

  private mutating func compareTracks() throws {
    var changes: [TrackMoves.Change] = []
    for id in order {
      guard var facts = planned[id] else { continue }
      // A document that followed may have found a better id.
      facts.song = facts.song.map(songs.current)
      let known = try self.facts(of: id)
      if facts != known { changes.append((facts, known)) }
    }
    var added: Set<String> = []
    for facts in TrackMoves.ordered(changes) {
      if let hash = facts.artwork, let picture = pictures[hash], added.insert(hash).inserted,
        try rows.row(of: Artwork.table, key: hash) == nil
      {
        events.append(.artworkAdded(picture))
      }
      events.append(.trackUpserted(facts))
    }
  }
}

extension ImportedLibrary {
  init(_ document: TrackDocument) {
    self.init(
      format: document.format.rawValue, name: document.name, sha256: document.sha256,
      tracks: Int64(Set(document.tracks.map { TrackURI.key(of: $0.uri) }).count),
      collections: Int64(Set(document.playlists.map(\.id)).count),
      identified: Int64(
        Set(document.tracks.filter { $0.isrc != nil || $0.appleMusicID != nil }.map(\.uri)).count))
  }
}

extension TrackDocument {
  fileprivate var hasTags: Bool { !tags.isEmpty || songs.contains { !$0.tags.isEmpty } }
}

extension [TrackDocument] {
  /// What knows most of a track first, and what refers to tracks last; documents of one format as they were named.
  fileprivate var inImportOrder: [TrackDocument] {
    enumerated().sorted {
      ($0.element.format.rank, $0.offset) < ($1.element.format.rank, $1.offset)
    }.map(\.element)
  }
}

extension TrackDocument.Format {
  /// Whether what it says of a track that is known is worth less than what is known.
  fileprivate var isPoor: Bool {
    switch self {
    case .m3u, .pls, .xspf, .csv, .folder: true
    case .libraryJSON, .iTunes, .spotify, .appleMusic: false
    }
  }

  /// The place of a document among others of a set.
  fileprivate var rank: Int {
    switch self {
    // It alone gives tracks ids of their own, which playlists of any later document then have.
    case .libraryJSON: 0
    case .iTunes: 1
    case .spotify: 2
    case .appleMusic: 3
    // Titles from names of files: only where nobody knows better.
    case .folder: 4
    case .m3u, .pls, .xspf, .csv: 5
    }
  }
}

extension TrackFacts {
  /// What the rows say of a track.
  init(_ track: Track, _ source: TrackSource) {
    self.init(track, source, artwork: track.artworkData.map { Artwork($0).sha256 })
  }

  fileprivate init(_ track: Track, _ source: TrackSource, artwork: String?) {
    self.init(
      id: track.id, details: track.details, artwork: artwork, source: source.source,
      uri: source.uri, song: source.songID, dateAdded: source.dateAdded)
  }

  /// What a document says of a track; what it does not say is as it was, and what it says is empty is unknown.
  fileprivate init(_ track: DocumentTrack, id: EntityID, known: TrackFacts?) {
    let isSamePlace = known.map { TrackURI.key(of: $0.uri) == TrackURI.key(of: track.uri) } ?? false
    var details =
      known?.details
      ?? TrackDetails(title: TrackURI.name(of: track.uri), fileURL: track.fileURL)
    details.title = track.title ?? details.title
    // One place in another spelling is no news.
    if !isSamePlace || track.isFound { details.fileURL = track.fileURL }
    for column in TrackDetails.columns { column.take(from: track, into: &details) }
    self.init(
      id: id, details: details, artwork: known?.artwork, source: track.source,
      uri: isSamePlace ? known?.uri ?? track.uri : track.uri,
      dateAdded: [known?.dateAdded, track.dateAdded].compactMap { $0 }.min())
  }

  /// With what a document says of the track where nothing was known.
  fileprivate func filled(by track: DocumentTrack) -> TrackFacts {
    var facts = self
    // A file's name is a title as long as nobody knows a better one.
    if facts.title == TrackURI.name(of: facts.uri) { facts.title = track.title ?? facts.title }
    for column in TrackDetails.columns { column.fill(from: track, into: &facts.details) }
    facts.dateAdded = [facts.dateAdded, track.dateAdded].compactMap { $0 }.min()
    if track.isFound { facts.fileURL = track.fileURL }
    return facts
  }
}
