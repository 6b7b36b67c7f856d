import ArgumentParser
import EngineCommands

struct ShowsCommand: AsyncParsableCommand, KindCommands {
  static let kindName = "concert-archive"

  static let configuration = CommandConfiguration(
    commandName: "shows",
    abstract: "Import, find and keep the shows of a concert archive.",
    discussion: "".examples(
      "\(ProgramName.current) init --kind concert-archive",
      "\(ProgramName.current) shows import data-v2.1.2",
      "\(ProgramName.current) shows search 5-8-77"),
    subcommands: [
      ShowsImportCommand.self, ShowsListCommand.self, ShowsShowCommand.self,
      ShowsSearchCommand.self, ShowsNextCommand.self, ShowsPreviousCommand.self,
      ShowsRecordingsCommand.self, ShowsTopCommand.self, ShowsCollectionsCommand.self,
      ShowsLibraryCommand.self, ShowsSaveCommand.self, ShowsUnsaveCommand.self,
      ShowsRestoreCommand.self,
      ShowsPinCommand.self, ShowsNoteCommand.self, ShowsRateCommand.self,
      ShowsTagCommand.self, ShowsPlayCommand.self,
      ShowsRecentCommand.self, ShowsVersionCommand.self, ShowsTracksCommand.self,
      ShowsPrefetchCommand.self,
    ])
}
