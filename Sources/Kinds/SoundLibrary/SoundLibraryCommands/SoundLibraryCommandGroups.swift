package import ArgumentParser
import EngineCommands

/// The commands of sound libraries, in the groups in which help lists them.
package enum SoundLibraryCommandGroups {
  package static var all: [CommandGroup] {
    [
      CommandGroup(
        name: "Catalog",
        subcommands: [
          ImportCommand.self, ItemsCommand.self, ItemCommand.self, FacetsCommand.self,
          SearchCommand.self, MusicCommand.self, PacksCommand.self, PackCommand.self,
        ]),
      CommandGroup(name: "Tags", subcommands: [TagCommand.self, LintCommand.self]),
      CommandGroup(
        name: "Packs",
        subcommands: [
          ManifestCommand.self, DownloadCommand.self, CancelCommand.self, RepairCommand.self,
          DeleteCommand.self,
        ]),
    ]
  }

  /// The engine's commands of history; `log` also takes items, packs and tags.
  ///
  /// - Parameter pages: the commands that make pages.
  package static func history(pages: [any ParsableCommand.Type]) -> CommandGroup {
    EngineCommandGroups.history(LibraryEventFilter.self, pages: pages)
  }
}
