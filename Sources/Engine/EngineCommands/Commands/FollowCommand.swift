import ArgumentParser
import CatalogEngine
import CatalogModel
import EventLog

struct FollowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "follow",
    abstract: "Apply what others append, until interrupted.",
    discussion: """
      Asks the log once a second for new events, and brings the catalog's database to its head. One line says how far \
      it came. A server that does not answer is asked again.
      """.examples(
        "\(ProgramName.current) follow",
        "\(ProgramName.current) follow --every 5 --for 60"))

  @OptionGroup var options: CatalogOptions

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

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    let opened = try await options.location.opened(options.location.opening(progress))
    defer { opened.close() }
    progress.finish()
    var follower = opened.follower(every: .seconds(every))
    follower.deadline = time.map { .now + .seconds($0) }
    follower.onSilence = { console.error("\(ProgramName.current): \($0)") }
    var known: UInt64?
    for try await reached in follower {
      let new = reached - (known ?? reached)
      switch options.format {
      case .text: console.write("event \(reached)" + (new > 0 ? ", \(new) new" : ""))
      case .json: console.write(jsonText: "{\"sequence\":\(reached),\"new\":\(new)}")
      }
      known = reached
    }
  }
}
