import ArgumentParser
import EngineCommands

struct TracksCommand: AsyncParsableCommand, KindCommands {
  static let kindName = "track-library"

  static let configuration = CommandConfiguration(
    commandName: "tracks",
    abstract: "Import, find, tag and play the tracks of a track library.",
    discussion: "".examples(
      "\(ProgramName.current) init --kind track-library",
      "\(ProgramName.current) tracks import library.json",
      "\(ProgramName.current) tracks playlist show Evening"),
    subcommands: [
      TracksImportCommand.self, TracksListCommand.self, TracksSearchCommand.self,
      TracksSongsCommand.self, TracksPlaylistCommand.self, TracksTagCommand.self,
      TracksPlayCommand.self, TracksRecentCommand.self, TracksRemoveCommand.self,
      TracksQueueCommand.self, TracksExportCommand.self,
    ])
}
