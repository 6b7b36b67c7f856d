public import ArgumentParser

/// The commands that every kind of catalog has, in the groups in which help lists them.
public enum EngineCommandGroups {
  /// All of them, without those that make pages.
  public static var all: [CommandGroup] { all(pages: []) }

  /// - Parameter pages: the commands that make pages: `PageCommands.all` of the module `CatalogPages`.
  public static func all(pages: [any ParsableCommand.Type]) -> [CommandGroup] {
    [start, history(NoOwnEventFilter.self, pages: pages), replay, care]
  }

  /// How a catalog begins.
  package static var start: CommandGroup {
    CommandGroup(name: "Start", subcommands: [InitCommand.self])
  }

  /// - Parameters:
  ///   - own: how else the kind lets `log` choose events.
  ///   - pages: the commands that make pages.
  package static func history<Own: OwnEventFilter>(
    _ own: Own.Type, pages: [any ParsableCommand.Type]
  ) -> CommandGroup {
    CommandGroup(
      name: "History",
      subcommands: [
        StatusCommand.self, HeadCommand.self, LogCommand<Own>.self, EventCommand.self,
        ShowCommand.self,
        BlameCommand.self,
        DiffCommand.self, ChangesCommand.self, TablesCommand.self, QueryCommand.self,
        MaterializeCommand.self, ExportCommand.self,
        BisectCommand.self, DivergeCommand.self, WhatIfCommand.self, RevertCommand.self,
        StatsCommand.self,
      ] + pages + [HistoryCommand.self])
  }

  package static var replay: CommandGroup {
    CommandGroup(
      name: "Replay",
      subcommands: [
        RebuildCommand.self, VerifyCommand.self, ReceiptCommand.self, ProjectionCommand.self,
        ReplayCommand.self,
      ])
  }

  package static var care: CommandGroup {
    CommandGroup(
      name: "Care",
      subcommands: [
        DoctorCommand.self, CheckCommand.self, SalvageCommand.self, SealCommand.self,
        CopyCommand.self, FollowCommand.self,
      ])
  }
}
