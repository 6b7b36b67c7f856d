import ArgumentParser
import EngineCommands
import TrackLibrary

struct TracksPlaylistCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "playlist", abstract: "List, show and change playlists.",
    discussion: """
      A playlist may have a track twice: tracks are removed and moved by their positions, from 0 on.
      """.examples(
        "\(ProgramName.current) tracks playlist create Evening",
        "\(ProgramName.current) tracks playlist remove Evening 3"),
    subcommands: [
      PlaylistListCommand.self, PlaylistShowCommand.self, PlaylistCreateCommand.self,
      PlaylistChangeCommand.self, PlaylistAddCommand.self, PlaylistRemoveCommand.self,
      PlaylistMoveCommand.self, PlaylistDeleteCommand.self,
    ])
}

struct PlaylistListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List playlists by name.",
    discussion: "".examples("\(ProgramName.current) tracks playlist list"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var page: PagingOptions

  func run() async throws {
    let cursor = try page.cursor()
    try await options.readLibrary { library in
      let page = try await library.playlists.list(limit: page.limit, after: cursor)
      try Console.current.write(page, "playlist", options.format, json: \.json) { [$0.text] }
    }
  }
}

struct PlaylistShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a playlist and its tracks.",
    discussion: "".examples("\(ProgramName.current) tracks playlist show Evening"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var argument: PlaylistArgument

  func run() async throws {
    try await options.readLibrary { library in
      let playlist = try await argument.found(in: library)
      try Console.current.write(options.format, json: playlist.json) { console in
        console.write("\(playlist.id)  \(playlist.name)")
        if let description = playlist.description { console.write(description) }
        for (position, track) in playlist.tracks.enumerated() {
          console.write("\(position)  \(track.text)")
        }
        console.note(Count.of(playlist.tracks.count, "track"))
      }
    }
  }
}

extension PlaylistLine {
  /// `1b0c…  Evening (3 tracks, 12:05)`
  fileprivate var text: String {
    let length = duration > 0 ? ", \(TrackLine.clock(duration))" : ""
    return "\(id)  \(name) (\(Count.of(trackCount, "track"))\(length))"
  }

  fileprivate var json: JSONObject {
    [
      "id": id.description, "name": name, "description": description, "tracks": trackCount,
      "duration": duration, "dateModified": dateModified.description,
    ]
  }
}

extension Playlist {
  fileprivate var json: JSONObject {
    [
      "id": id.description, "name": name, "description": description, "artworkUrl": artworkURL,
      "dateCreated": dateCreated.description, "dateModified": dateModified.description,
      "tracks": tracks.map(\.json),
    ]
  }
}
