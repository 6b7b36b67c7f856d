import ArgumentParser
import Catalog
import EventLog

/// Reads a log as a rebuild does: decompresses it, checks its chain and decodes every event. `Tools/bench`
/// times it.
struct ScanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "scan")

  @Argument var events: String

  func run() throws {
    let replay = try ReplayAhead(EventLogReader(directory: events))
    defer { replay.close() }
    var count = 0
    while try replay.nextBatch({ _ in count += 1 }) != nil {}
    Embedder.say("\(count) events")
  }
}
