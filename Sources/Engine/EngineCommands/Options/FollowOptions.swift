import ArgumentParser
import CatalogModel
import EventLog

/// How a command waits for what others append: `--every` and `--for`.
struct FollowOptions: ParsableArguments {
  @Option(name: .long, help: ArgumentHelp("Seconds between two questions.", valueName: "seconds"))
  var every: Double = 1

  @Option(
    name: .customLong("for"), help: ArgumentHelp("End after so many seconds.", valueName: "seconds")
  )
  var time: Double?

  func validate() throws {
    for (name, value) in [("--every", every), ("--for", time ?? 1)]
    where !(value >= 0.01 && value <= 86_400) {
      throw ValidationError("\(name) takes 0.01 to 86400 seconds")
    }
  }

  var interval: Duration { .seconds(every) }

  /// When the command ends; nil if only an interruption ends it.
  var deadline: ContinuousClock.Instant? { time.map { .now + .seconds($0) } }
}
