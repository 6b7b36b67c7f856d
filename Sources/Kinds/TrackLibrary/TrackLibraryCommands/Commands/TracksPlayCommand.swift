import ArgumentParser
import CatalogEngine
import EngineCommands
import TrackLibrary

struct TracksPlayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play", abstract: "Count a play of a track.",
    discussion: "".examples(
      "\(ProgramName.current) tracks play 00000000-0000-4000-8000-000000000001"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions

  @Argument(help: ArgumentHelp("The track's id.", valueName: "track"))
  var track: String

  func run() async throws {
    let id = try TrackArgument.id(track)
    try await options.changeLibrary(waiting, changed: "played \(id)") {
      try await $0.tracks.play(id)
    }
  }
}

/// Ids of tracks as a person types them.
enum TrackArgument {
  static func id(_ text: String) throws -> EntityID {
    guard let id = EntityID(text) else {
      throw ValidationError("\"\(text)\" is not the id of a track; `tracks list` shows ids")
    }
    return id
  }
}
