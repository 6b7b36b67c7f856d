public import ArgumentParser

/// The commands that make pages: `report` and `serve`.
///
/// A program that has them gives them to the commands of the engine:
///
/// ```swift
/// groupedSubcommands: EngineCommandGroups.all(pages: PageCommands.all)
/// ```
public enum PageCommands {
  /// Both of them, in the order in which help lists them.
  public static var all: [any ParsableCommand.Type] { [ReportCommand.self, ServeCommand.self] }
}
