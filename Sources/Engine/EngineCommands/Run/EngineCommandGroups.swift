public import ArgumentParser

/// The commands that every kind of catalog has, in the groups in which help lists them.
public enum EngineCommandGroups {
  /// All of them.
  public static var all: [CommandGroup] {
    [start, history(NoOwnEventFilter.self), replay, care]
  }

  /// How a catalog begins.
  package static var start: CommandGroup {
    CommandGroup(name: "Start", subcommands: [InitCommand.self])
  }

  /// - Parameter own: how else the kind lets `log` choose events.
  package static func history<Own: OwnEventFilter>(_ own: Own.Type) -> CommandGroup {
    CommandGroup(
      name: "History",
      subcommands: [
        StatusCommand.self, HeadCommand.self, LogCommand<Own>.self, EventCommand.self,
        ShowCommand.self,
        BlameCommand.self,
        DiffCommand.self, ChangesCommand.self, TablesCommand.self, QueryCommand.self,
        MaterializeCommand.self,
        BisectCommand.self, DivergeCommand.self, WhatIfCommand.self, RevertCommand.self,
        StatsCommand.self, ReportCommand.self, ServeCommand.self, HistoryCommand.self,
      ])
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
