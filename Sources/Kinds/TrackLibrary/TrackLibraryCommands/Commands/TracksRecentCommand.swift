import ArgumentParser
import CatalogEngine
import EngineCommands
import TrackLibrary

struct TracksRecentCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recent", abstract: "List the tracks that were played, the last first.",
    discussion: "A track that was removed since is listed by its id.".examples(
      "\(ProgramName.current) tracks recent",
      "\(ProgramName.current) tracks recent --most-played --limit 10"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var page: PagingOptions

  @Flag(name: .long, help: "List the tracks that were played most often first.")
  var mostPlayed = false

  func run() async throws {
    let cursor = try page.cursor()
    try await options.readLibrary { library in
      let page = try await library.tracks.played(
        by: mostPlayed ? .most : .recent, limit: page.limit, after: cursor)
      try Console.current.write(page, "track", options.format, json: \.json) { [$0.text] }
    }
  }
}

extension PlayedTrack {
  /// `2026-05-08T12:00:00.000Z  3 plays  1b0c…  Nocturne, A Pianist`
  fileprivate var text: String {
    let words = [title ?? "(removed)", artist ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
    return "\(lastPlayedAt)  \(Count.of(playCount, "play"))  \(id)  \(words)"
  }

  fileprivate var json: JSONObject {
    [
      "id": id.description, "title": title, "artist": artist,
      "lastPlayedAt": lastPlayedAt.description, "firstPlayedAt": firstPlayedAt.description,
      "playCount": playCount,
    ]
  }
}
