import ArgumentParser

/// How a command waits for what others append: `--every` and `--for`.
struct FollowOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "Seconds between two reads of the log (default: 1).", valueName: "seconds"))
  var every: Double?

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("End after this many seconds.", valueName: "seconds"))
  var time: Double?

  func validate() throws {
    for (name, value) in [("--every", every ?? 1), ("--for", time ?? 1)]
    where !(value >= 0.01 && value <= 86_400) {
      throw ValidationError("\(name) takes 0.01 to 86400 seconds")
    }
  }

  var isGiven: Bool { every != nil || time != nil }

  var interval: Duration { .seconds(every ?? 1) }

  /// When the command ends; nil if only an interruption ends it.
  var deadline: ContinuousClock.Instant? { time.map { .now + .seconds($0) } }
}
