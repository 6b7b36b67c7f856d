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
    let (limit, cursor, format) = (page.limit, try page.cursor(), options.format)
    try await options.readLibrary { library in
      let page = try await library.playlists.list(limit: limit, after: cursor)
      try Console.current.write(page, "playlist", format, json: PlaylistLineJSON.init) { [$0.text] }
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
    let (argument, format) = (argument, options.format)
    try await options.readLibrary { library in
      let playlist = try await argument.found(in: library)
      let console = Console.current
      switch format {
      case .text:
        console.write("\(playlist.id)  \(playlist.name)")
        if let description = playlist.description { console.write(description) }
        for (position, track) in playlist.tracks.enumerated() {
          console.write("\(position)  \(track.text)")
        }
        console.error(Count.of(playlist.tracks.count, "track"))
      case .json: try console.write(json: PlaylistJSON(playlist))
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
}

private struct PlaylistLineJSON: Encodable {
  let id: String
  let name: String
  let description: String?
  let tracks: Int64
  let duration: Double
  let dateModified: String

  init(_ line: PlaylistLine) {
    id = line.id.description
    name = line.name
    description = line.description
    tracks = line.trackCount
    duration = line.duration
    dateModified = line.dateModified.description
  }
}

private struct PlaylistJSON: Encodable {
  let id: String
  let name: String
  let description: String?
  let artworkUrl: String?
  let dateCreated: String
  let dateModified: String
  let tracks: [TrackLineJSON]

  init(_ playlist: Playlist) {
    id = playlist.id.description
    name = playlist.name
    description = playlist.description
    artworkUrl = playlist.artworkURL
    dateCreated = playlist.dateCreated.description
    dateModified = playlist.dateModified.description
    tracks = playlist.tracks.map(TrackLineJSON.init)
  }
}
