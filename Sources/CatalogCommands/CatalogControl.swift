package import ArgumentParser

/// The root of `catalogctl`.
package struct CatalogControl: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "catalogctl",
    abstract: "Import, replay, verify and explore an event-sourced sound catalog.",
    discussion: """
      The event log is the truth; catalog.sqlite is made from it and can be deleted at any moment.

      Exit status: 0 as asked; 1 an error; 2 differences or findings; 3 the log is damaged or lost \
      acknowledged events; 64 wrong usage; 130 interrupted.
      """,
    version: "0.1.0",
    groupedSubcommands: [
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
      CommandGroup(
        name: "History",
        subcommands: [
          HeadCommand.self, LogCommand.self, EventCommand.self, BlameCommand.self, DiffCommand.self,
          QueryCommand.self, MaterializeCommand.self, BisectCommand.self, StatsCommand.self,
          ReportCommand.self, SnapshotCommand.self,
        ]),
      CommandGroup(
        name: "Replay",
        subcommands: [
          RebuildCommand.self, VerifyCommand.self, ReceiptCommand.self, ReplayCommand.self,
        ]),
      CommandGroup(
        name: "Care",
        subcommands: [
          DoctorCommand.self, CheckCommand.self, SalvageCommand.self, SealCommand.self,
        ]),
    ])

  package init() {}
}
