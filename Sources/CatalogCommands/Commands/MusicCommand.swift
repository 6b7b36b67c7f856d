import ArgumentParser
import Catalog
import CatalogStore

struct MusicCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "music", abstract: "List the music entries and their Apple Music playlists.",
    discussion: "".examples(
      "catalogctl music",
      "catalogctl music --format json | jq -r '.[].playlistId'"))

  @OptionGroup var options: CatalogOptions

  func run() async throws {
    let console = Console.current
    try await options.withCatalog { catalog in
      let entries = try await catalog.music.listMusicEntries()
      switch options.format {
      case .text:
        for entry in entries {
          console.write("\(entry.item.lowercaseID)  \(entry.playlistID)  \(entry.item.title)")
        }
        console.error(Count.of(entries.count, "playlist"))
      case .json: try console.write(json: entries.map(MusicJSON.init))
      }
    }
  }
}

private struct MusicJSON: Encodable {
  let item: ItemJSON
  let playlistId: String
  let lastSyncAt: String?
  let useSnapshot: Bool

  init(_ entry: MusicEntry) {
    item = ItemJSON(entry.item)
    playlistId = entry.playlistID
    lastSyncAt = entry.lastSyncAt?.description
    useSnapshot = entry.usesSnapshot
  }
}
