import ArgumentParser
import EngineCommands

/// How long a command that works on packs waits for other processes: `--wait SECONDS`. An import beside a download must
/// not end it, so it is patient if the user does not say.
struct PackWaitOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "Wait this many seconds for another writer or for a process that works on the pack; 0 fails at once. Default: 60 "
        + "and 15.",
      valueName: "seconds"))
  var wait: Double?

  func validate() throws { _ = try duration }

  /// Nil if the user does not say.
  var duration: Duration? { get throws { try WaitOptions.duration(wait) } }
}
