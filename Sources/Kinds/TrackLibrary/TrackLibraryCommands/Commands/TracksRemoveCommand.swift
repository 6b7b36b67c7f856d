import ArgumentParser
import CatalogEngine
import EngineCommands
import TrackLibrary

struct TracksRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a track, also from the playlists.",
    discussion: """
      Its file, its song and what is known of plays stay. An import that names the track adds it again, but for a \
      library.json that was imported before.
      """.examples("\(ProgramName.current) tracks remove 00000000-0000-4000-8000-000000000001"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions

  @Argument(help: ArgumentHelp("The track's id.", valueName: "track"))
  var track: String

  func run() async throws {
    let id = try TrackArgument.id(track)
    try await options.changeLibrary(waiting, changed: "removed \(id)") { library in
      let change = try await library.tracks.remove(id)
      guard change.outcome != .unchanged else {
        throw ProjectionError(contradiction: "there is no track \(id); `tracks list` shows ids")
      }
      return change
    }
  }
}
