import CatalogModel

extension PayloadReader {
  mutating func metadataRefreshed() throws(Problem) -> PlaylistMetadataRefreshed {
    PlaylistMetadataRefreshed(
      item: try id("item"), playlistID: try string("playlistId"),
      storefront: try string("storefront"), state: try playlistState())
  }

  private mutating func playlistState() throws(Problem) -> PlaylistMetadataRefreshed.State {
    let name = try choice("state", of: PlaylistMetadataRefreshed.State.Name.self)
    let reason = try optionalString("reason")
    let metadata = try playlistMetadata("metadata")
    switch (name, reason, metadata) {
    case (.available, nil, let metadata?): return .available(metadata)
    case (.gone, let reason?, nil): return .gone(reason: reason)
    case (.missingInStorefront, let reason?, nil): return .missingInStorefront(reason: reason)
    default:
      throw Problem(
        path: "$.data",
        message:
          "an available playlist has metadata and no reason; any other has a reason and no metadata"
      )
    }
  }

  private mutating func playlistMetadata(_ key: String) throws(Problem) -> PlaylistMetadata? {
    let value = try take(key)
    guard value != .null else { return nil }
    var reader = try PayloadReader(value, path: "$.data.\(key)")
    let metadata = PlaylistMetadata(
      title: try reader.string("title"), curator: try reader.optionalString("curator"),
      description: try reader.optionalString("description"),
      artworkURL: try reader.optionalString("artworkUrl"), url: try reader.optionalString("url"),
      modifiedAt: try reader.optionalString("modifiedAt"), isPlayable: try reader.bool("playable"))
    try reader.finish()
    return metadata
  }

  mutating func tracksSnapshotted() throws(Problem) -> PlaylistTracksSnapshotted {
    PlaylistTracksSnapshotted(
      item: try id("item"), playlistID: try string("playlistId"),
      storefront: try string("storefront"), base: try optionalUInt64("base"),
      count: try int64("count"), runs: try runs("runs"), tracks: try tracks("tracks"))
  }

  private mutating func runs(_ key: String) throws(Problem) -> [ListRun<String>] {
    var runs: [ListRun<String>] = []
    for (value, path) in try elements(key) {
      var reader = try PayloadReader(value, path: path)
      if let ids = try reader.stringsIfPresent("ids") {
        runs.append(.new(ids))
      } else {
        runs.append(.kept(from: try reader.int64("from"), count: try reader.int64("count")))
      }
      try reader.finish()
    }
    return runs
  }

  private mutating func tracks(
    _ key: String
  ) throws(Problem) -> [PlaylistTracksSnapshotted.Track] {
    var tracks: [PlaylistTracksSnapshotted.Track] = []
    for (value, path) in try elements(key) {
      var reader = try PayloadReader(value, path: path)
      tracks.append(
        PlaylistTracksSnapshotted.Track(
          id: try reader.string("id"), type: try reader.string("type"),
          title: try reader.string("title"), artist: try reader.string("artist"),
          album: try reader.optionalString("album"),
          duration: try reader.optionalDouble("duration"),
          artworkURL: try reader.optionalString("artworkUrl")))
      try reader.finish()
    }
    return tracks
  }
}
