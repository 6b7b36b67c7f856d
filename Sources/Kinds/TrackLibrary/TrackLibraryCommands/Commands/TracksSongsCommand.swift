import ArgumentParser
import EngineCommands
import TrackLibrary

struct TracksSongsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "songs", abstract: "List songs with their tags.",
    discussion: """
      A song is what several tracks are recordings of: its id is an ISRC, else an Apple Music id.
      """.examples("\(ProgramName.current) tracks songs --limit 10"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var page: PagingOptions

  func run() async throws {
    let cursor = try page.cursor()
    try await options.readLibrary { library in
      let page = try await library.songs.list(limit: page.limit, after: cursor)
      try Console.current.write(page, "song", options.format, json: \.json) { [$0.text] }
    }
  }
}

extension SyncStatus {
  fileprivate var name: String {
    switch self {
    case .synced: "synced"
    case .pending: "pending"
    case .pendingDelete: "pendingDelete"
    }
  }
}

extension SongLine {
  /// `USS1Z9900001  Nocturne, A Pianist (2 tracks)  calm, Favorites`
  fileprivate var text: String {
    let words = [title, artist].filter { !$0.isEmpty }.joined(separator: ", ")
    return "\(id)  \(words) (\(Count.of(trackCount, "track")))"
      + (tagNames.isEmpty ? "" : "  " + tagNames.joined(separator: ", "))
      + (syncStatus == .pendingDelete ? "  (removed)" : "")
  }

  fileprivate var json: JSONObject {
    [
      "id": id, "title": title, "artist": artist, "tracks": trackCount, "tags": tagNames,
      "sync": syncStatus.name,
    ]
  }
}
