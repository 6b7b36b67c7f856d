import ArgumentParser
import EngineCommands
import NotesKind

/// The commands of the engine for notes: the other processes in which a bad kind is found out.
///
/// A link to the program has the name of its vice: `notesctl-hashOrder`. The environment of a process that runs tests is shared
/// by all of them, and nothing may change it.
@main
struct NotesControl: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notesctl", abstract: "Notes, and what a projector may do wrong with them.",
    groupedSubcommands: EngineCommandGroups.all)

  static func main() {
    let name = CommandLine.arguments[0].split(separator: "-").last.map(String.init)
    CatalogProgram(NotesControl.self, kinds: [Notes(vice: name.flatMap(Notes.Vice.init) ?? .none)])
      .run(CommandLine.arguments.dropFirst())
  }
}
