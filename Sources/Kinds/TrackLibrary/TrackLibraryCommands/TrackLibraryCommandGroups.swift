public import ArgumentParser
import EngineCommands

/// The commands of track libraries, in the groups in which help lists them.
public enum TrackLibraryCommandGroups {
  /// One group, which has the command `tracks` with its subcommands.
  public static var all: [CommandGroup] {
    [CommandGroup(name: "Tracks", subcommands: [TracksCommand.self])]
  }
}
