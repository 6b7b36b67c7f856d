import CatalogEngine
import Foundation

/// The rows of a library, as far as a `library.json` can have them.
struct LibraryExport {
  static let fileName = "library.json"

  /// In the order in which the library got them.
  private(set) var tracks: [Entry] = []
  /// In the order of their ids.
  private(set) var playlists: [Playlist] = []
  private(set) var omitted: [OmittedRows] = []

  /// In the order of their ids.
  private(set) var songs: [SongEntry] = []
  /// In the order of their names, without those that every library has.
  private(set) var tags: [LibraryTag] = []

  struct Entry {
    let track: Track
    let source: TrackSource
  }

  struct Playlist {
    let list: TrackCollection
    let info: CollectionInfo?
    let tracks: [EntityID]
  }

  struct SongEntry {
    let song: Song
    let otherIDs: [String]
    /// The names of its tags by their source.
    let tags: [(source: String, names: [String])]
  }

  init(_ rows: ProvedRows) throws {
    let order = Dictionary(
      try rows.rows(of: TrackText.table).map { ($0.trackID, $0.number) },
      uniquingKeysWith: { first, _ in first })
    let sources = Dictionary(
      uniqueKeysWithValues: try rows.rows(of: TrackSource.table).map { ($0.trackID, $0) })
    tracks = try rows.rows(of: Track.table).compactMap { track in
      sources[track.id].map { Entry(track: track, source: $0) }
    }.sorted {
      (order[$0.track.id] ?? .max, $0.track.id) < (order[$1.track.id] ?? .max, $1.track.id)
    }

    let infos = Dictionary(
      uniqueKeysWithValues: try rows.rows(of: CollectionInfo.table).map { ($0.collectionID, $0) })
    let places = Dictionary(grouping: try rows.rows(of: CollectionTrack.table), by: \.collectionID)
      .mapValues { $0.sorted { $0.position < $1.position }.map(\.trackID) }
    playlists = try rows.rows(of: TrackCollection.table).map {
      Playlist(list: $0, info: infos[$0.id], tracks: places[$0.id] ?? [])
    }
    try addSongs(rows)
    omitted = [
      OmittedRows(
        "tracks", try rows.rows(of: Track.table).count - tracks.count, "which have no address"),
      OmittedRows("track_play", try rows.rows(of: TrackPlay.table).count, "what was played"),
      OmittedRows(
        "song", try rows.rows(of: Song.table).count { $0.syncStatus == .pendingDelete },
        "which are to be removed from a server"),
    ]
  }

  private mutating func addSongs(_ rows: ProvedRows) throws {
    let all = try rows.rows(of: LibraryTag.table)
    let names = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0.name) })
    tags = all.filter { !$0.isSystemTag }.sorted { $0.name < $1.name }
    let aliases = Dictionary(grouping: try rows.rows(of: SongAlias.table), by: \.songID)
    let taggings = Dictionary(grouping: try rows.rows(of: SourceTagging.table), by: \.songID)
    for song in try rows.rows(of: Song.table) where song.syncStatus != .pendingDelete {
      let bySource = Dictionary(grouping: taggings[song.id] ?? [], by: \.source).mapValues {
        $0.compactMap { names[$0.tagID] }.sorted()
      }
      songs.append(
        SongEntry(
          song: song, otherIDs: (aliases[song.id] ?? []).map(\.alias),
          tags: bySource.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
    }
  }
}

extension LibraryExport {
  var json: JSONValue {
    .object {
      $0.add("tracks", tracks, \.json)
      $0.add("collections", playlists, \.json)
      if !tags.isEmpty { $0.add("tags", tags, \.json) }
      if !songs.isEmpty { $0.add("songs", songs, \.json) }
    }
  }
}

extension LibraryExport.Entry {
  /// An empty text and 0 say that nothing is known.
  fileprivate var json: JSONValue {
    .object {
      $0.add("id", track.id.description)
      $0.add("title", track.title)
      $0.add("artist", track.artist.known)
      $0.add("album", track.album.known)
      $0.add("albumArtist", track.albumArtist?.known)
      $0.add("duration", track.duration)
      $0.add("fileURL", track.fileURL)
      if TrackURI.uri(ofAddress: track.fileURL) != source.uri { $0.add("uri", source.uri) }
      $0.add("artworkURL", track.artworkURL?.known)
      $0.add("artworkData", track.artworkData.map { Data($0).base64EncodedString() })
      $0.add("genre", track.genre?.known)
      $0.add("year", track.year?.known)
      $0.add("trackNumber", track.trackNumber?.known)
      if let song = source.songID {
        $0.add(SongID.isrc(song) == nil ? "appleMusicID" : "isrc", song)
      }
      $0.add("dateAdded", source.dateAdded.description)
    }
  }
}

extension LibraryExport.Playlist {
  fileprivate var json: JSONValue {
    .object {
      $0.add("id", list.id.description)
      $0.add("name", list.name)
      $0.add("description", info?.description?.known)
      $0.add("artworkURL", info?.artworkURL?.known)
      $0.add("trackIDs", tracks.map(\.description))
    }
  }
}

extension LibraryTag {
  fileprivate var json: JSONValue {
    .object {
      $0.add("id", id.description)
      $0.add("name", name)
      $0.add("hexColor", hexColor)
    }
  }
}

extension LibraryExport.SongEntry {
  fileprivate var json: JSONValue {
    .object {
      $0.add("id", song.id)
      if !otherIDs.isEmpty { $0.add("otherIDs", otherIDs) }
      $0.add("title", song.title)
      $0.add("artist", song.artist.known)
      $0.add("artworkURL", song.artworkURL?.known)
      if !tags.isEmpty {
        $0.add("tags", tags) { source, names in
          .object {
            $0.add("source", source)
            $0.add("names", names)
          }
        }
      }
    }
  }
}

extension String {
  fileprivate var known: String? { isEmpty ? nil : self }
}

extension Int64 {
  fileprivate var known: Int64? { self == 0 ? nil : self }
}
