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
      "\(ProgramName.current) music list",
      "\(ProgramName.current) music list --format json | jq -r '.[].playlistId'"))

  @OptionGroup var options: CatalogOptions

  func run() async throws {
    try await options.readCatalog { catalog in
      let entries = try await catalog.music.listMusicEntries()
      try Console.current.write(options.format, json: entries.map(\.json)) { console in
        for entry in entries { console.write(line(entry)) }
        console.note(Count.of(entries.count, "playlist"))
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

extension MusicEntry {
  fileprivate var json: JSONObject {
    [
      "item": item.json, "playlistId": playlistID, "lastSyncAt": lastSyncAt?.description,
      "useSnapshot": usesSnapshot, "playlist": playlist?.json,
    ]
  }
}

extension PlaylistInfo {
  fileprivate var json: JSONObject {
    [
      "storefront": storefront, "state": state.rawValue, "reason": reason, "title": title,
      "curator": curator, "description": description, "artworkUrl": artworkURL, "url": url,
      "modifiedAt": modifiedAt, "playable": isPlayable,
    ]
  }
}
