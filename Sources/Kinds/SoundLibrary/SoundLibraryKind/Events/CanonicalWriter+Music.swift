import CatalogModel

extension CanonicalWriter {
  mutating func payload(_ data: PlaylistLinked) {
    raw("{\"item\":")
    id(data.item)
    raw(",\"playlistId\":")
    string(data.playlistID)
    raw(",\"useSnapshot\":")
    bool(data.useSnapshot)
    raw("}")
  }

  mutating func payload(_ data: PlaylistMetadataRefreshed) {
    raw("{\"item\":")
    id(data.item)
    raw(",\"playlistId\":")
    string(data.playlistID)
    raw(",\"storefront\":")
    string(data.storefront)
    raw(",\"state\":")
    string(data.state.name.rawValue)
    raw(",\"reason\":")
    string(data.state.reason)
    raw(",\"metadata\":")
    if let metadata = data.state.metadata { write(metadata) } else { raw("null") }
    raw("}")
  }

  private mutating func write(_ metadata: PlaylistMetadata) {
    raw("{\"title\":")
    string(metadata.title)
    raw(",\"curator\":")
    string(metadata.curator)
    raw(",\"description\":")
    string(metadata.description)
    raw(",\"artworkUrl\":")
    string(metadata.artworkURL)
    raw(",\"url\":")
    string(metadata.url)
    raw(",\"modifiedAt\":")
    string(metadata.modifiedAt)
    raw(",\"playable\":")
    bool(metadata.isPlayable)
    raw("}")
  }

  mutating func payload(_ data: PlaylistTracksSnapshotted) {
    raw("{\"item\":")
    id(data.item)
    raw(",\"playlistId\":")
    string(data.playlistID)
    raw(",\"storefront\":")
    string(data.storefront)
    raw(",\"base\":")
    if let base = data.base { integer(base) } else { raw("null") }
    raw(",\"count\":")
    integer(data.count)
    raw(",\"runs\":[")
    for (index, run) in data.runs.enumerated() {
      if index > 0 { raw(",") }
      write(run)
    }
    raw("],\"tracks\":[")
    for (index, track) in data.tracks.enumerated() {
      if index > 0 { raw(",") }
      write(track)
    }
    raw("]}")
  }

  private mutating func write(_ run: ListRun<String>) {
    switch run {
    case .kept(let from, let count):
      raw("{\"from\":")
      integer(from)
      raw(",\"count\":")
      integer(count)
      raw("}")
    case .new(let ids):
      raw("{\"ids\":[")
      for (index, id) in ids.enumerated() {
        if index > 0 { raw(",") }
        string(id)
      }
      raw("]}")
    }
  }

  private mutating func write(_ track: PlaylistTracksSnapshotted.Track) {
    raw("{\"id\":")
    string(track.id)
    raw(",\"type\":")
    string(track.type)
    raw(",\"title\":")
    string(track.title)
    raw(",\"artist\":")
    string(track.artist)
    raw(",\"album\":")
    string(track.album)
    raw(",\"duration\":")
    double(track.duration)
    raw(",\"artworkUrl\":")
    string(track.artworkURL)
    raw("}")
  }
}
