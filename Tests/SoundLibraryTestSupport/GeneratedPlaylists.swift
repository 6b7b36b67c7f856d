import CatalogModel
import CatalogTestSupport
import SoundLibrary

/// The playlists of a random history: what each holds, so that the next list is a difference to it.
struct GeneratedPlaylists {
  private typealias Playlist = (item: EntityID, name: String, tracks: [String], snapshot: UInt64?)

  private var playlists: [Playlist] = []
  private var knownTracks: Set<String> = []

  /// An entry gets a playlist, or the one that it has is kept another way.
  mutating func linked(to item: EntityID, _ random: inout SplitMix) -> SoundEvent {
    let place = playlists.firstIndex { $0.item == item }
    // Most often the same playlist.
    let name = random.below(3) > 0 ? place.map { playlists[$0].name } : nil
    let link = PlaylistLinked(
      item: item, playlistID: name ?? "pl.\(random.next())", useSnapshot: random.below(2) == 0)
    if name == nil {
      let playlist: Playlist = (item, link.playlistID, [], nil)
      if let place { playlists[place] = playlist } else { playlists.append(playlist) }
    }
    return .playlistLinked(link)
  }

  mutating func refreshed(_ random: inout SplitMix) -> SoundEvent? {
    guard let playlist = playlists.randomElement(using: &random) else { return nil }
    let state: PlaylistMetadataRefreshed.State =
      switch random.below(4) {
      case 0: .gone(reason: random.text())
      case 1: .missingInStorefront(reason: random.text())
      default:
        .available(
          PlaylistMetadata(
            title: random.text(), curator: random.below(2) == 0 ? nil : random.text(),
            description: nil,
            artworkURL: random.below(2) == 0 ? nil : "https://example.com/{w}x{h}.jpg", url: nil,
            modifiedAt: "2015-04-11T16:15:51Z", isPlayable: random.below(2) == 0))
      }
    return .playlistMetadataRefreshed(
      PlaylistMetadataRefreshed(
        item: playlist.item, playlistID: playlist.name, storefront: random.pick(["us", "de"]),
        state: state))
  }

  /// The list of before with some tracks gone, moved, doubled and new.
  ///
  /// - Parameter sequence: of the event.
  mutating func snapshotted(_ random: inout SplitMix, sequence: UInt64) -> SoundEvent? {
    guard let place = playlists.indices.randomElement(using: &random) else { return nil }
    let playlist = playlists[place]
    let list = changed(playlist.tracks, &random)
    playlists[place].tracks = list
    playlists[place].snapshot = sequence
    return .playlistTracksSnapshotted(
      PlaylistTracksSnapshotted(
        item: playlist.item, playlistID: playlist.name, storefront: "us", base: playlist.snapshot,
        count: Int64(list.count), runs: ListRun<String>.runs(of: list, from: playlist.tracks),
        tracks: told(of: list, &random)))
  }

  private func changed(_ tracks: [String], _ random: inout SplitMix) -> [String] {
    var list = tracks
    for _ in 0..<random.below(6) {
      let place = random.below(list.count + 1)
      switch random.below(4) {
      case 0 where place < list.count: list.remove(at: place)
      case 1 where place < list.count: list.append(list.remove(at: place))
      case 2 where place < list.count: list.insert(list[place], at: random.below(list.count + 1))
      default: list.insert("\(1_000 + random.below(40))", at: place)
      }
    }
    return list
  }

  /// Tracks that no list had before, and some of the others once more.
  private mutating func told(
    of list: [String], _ random: inout SplitMix
  ) -> [PlaylistTracksSnapshotted.Track] {
    var tracks: [PlaylistTracksSnapshotted.Track] = []
    var seen: Set<String> = []
    for id in list where seen.insert(id).inserted {
      guard knownTracks.insert(id).inserted || random.below(9) == 0 else { continue }
      tracks.append(
        PlaylistTracksSnapshotted.Track(
          id: id, type: random.pick(["songs", "music-videos"]), title: random.text(),
          artist: random.text(), album: random.below(2) == 0 ? nil : random.text(),
          duration: random.below(3) == 0 ? nil : Double(random.below(600_000)) / 1_000,
          artworkURL: nil))
    }
    return tracks
  }
}
