import ArgumentParser
import CatalogStore
import EngineCommands
import SoundLibrary

struct MusicCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "music",
    abstract: "List music entries, and refresh their playlists from Apple Music.",
    discussion: "Without a subcommand: music list.",
    subcommands: [
      MusicListCommand.self, MusicRefreshCommand.self, MusicTracksCommand.self,
      MusicHistoryCommand.self,
    ],
    defaultSubcommand: MusicListCommand.self)
}

struct MusicListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the music entries and their Apple Music playlists.",
    discussion: "".examples(
      "catalogctl music list",
      "catalogctl music list --format json | jq -r '.[].playlistId'"))

  @OptionGroup var options: CatalogOptions

  func run() async throws {
    try await options.readCatalog { catalog in
      let console = Console.current
      let entries = try await catalog.music.listMusicEntries()
      switch options.format {
      case .text:
        for entry in entries { console.write(line(entry)) }
        console.error(Count.of(entries.count, "playlist"))
      case .json: try console.write(json: entries.map(MusicJSON.init))
      }
    }
  }

  private func line(_ entry: MusicEntry) -> String {
    let line = "\(entry.item.lowercaseID)  \(entry.playlistID)  \(entry.item.title)"
    guard let playlist = entry.playlist, let reason = playlist.reason else { return line }
    return "\(line)  (\(playlist.state.words(in: playlist.storefront)): \(reason))"
  }
}

extension PlaylistInfo.State {
  /// For people.
  func words(in storefront: String) -> String {
    switch self {
    case .available: "available"
    case .gone: "gone"
    case .missingInStorefront: "not in storefront \(storefront)"
    }
  }
}

private struct MusicJSON: Encodable {
  let item: ItemJSON
  let playlistId: String
  let lastSyncAt: String?
  let useSnapshot: Bool
  let playlist: PlaylistJSON?

  init(_ entry: MusicEntry) {
    item = ItemJSON(entry.item)
    playlistId = entry.playlistID
    lastSyncAt = entry.lastSyncAt?.description
    useSnapshot = entry.usesSnapshot
    playlist = entry.playlist.map(PlaylistJSON.init)
  }
}

private struct PlaylistJSON: Encodable {
  let storefront: String
  let state: String
  let reason: String?
  let title: String?
  let curator: String?
  let description: String?
  let artworkUrl: String?
  let url: String?
  let modifiedAt: String?
  let playable: Bool

  init(_ playlist: PlaylistInfo) {
    storefront = playlist.storefront
    state = playlist.state.rawValue
    reason = playlist.reason
    title = playlist.title
    curator = playlist.curator
    description = playlist.description
    artworkUrl = playlist.artworkURL
    url = playlist.url
    modifiedAt = playlist.modifiedAt
    playable = playlist.isPlayable
  }
}
