import ArgumentParser
import EngineCommands
import Foundation
import NotesKind

/// The commands of the engine for notes: the other processes in which a bad kind is found out.
@main
struct NotesControl: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notesctl", abstract: "Notes, and what a projector may do wrong with them.",
    groupedSubcommands: EngineCommandGroups.all)

  static func main() {
    let vice = ProcessInfo.processInfo.environment[Notes.environment].flatMap(Notes.Vice.init)
    CatalogProgram(NotesControl.self, kinds: [Notes(vice: vice ?? .none)])
      .run(CommandLine.arguments.dropFirst())
  }
}
