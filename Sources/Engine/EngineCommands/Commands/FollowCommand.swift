import ArgumentParser
import CatalogEngine
import CatalogModel
import EventLog
import Synchronization

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

  @OptionGroup var pace: FollowOptions

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    let opened = try await options.location.opened(options.location.opening(progress))
    defer { opened.close() }
    progress.finish()
    var follower = opened.follower(every: pace.interval)
    follower.deadline = pace.deadline
    let wasSilent = Atomic(false)
    follower.onSilence = {
      wasSilent.store(true, ordering: .relaxed)
      console.error("\(ProgramName.current): \($0)")
    }
    var known: UInt64?
    for try await reached in follower {
      let new = reached - (known ?? reached)
      switch options.format {
      case .text: console.write("event \(reached)" + (new > 0 ? ", \(new) new" : ""))
      case .json: console.write(jsonText: "{\"sequence\":\(reached),\"new\":\(new)}")
      }
      known = reached
    }
    // The server never answered.
    if known == nil, wasSilent.load(ordering: .relaxed) { throw Exit(status: .error) }
  }
}
