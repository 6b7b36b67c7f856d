import ArgumentParser
import Catalog
import EventLog
import Projections
import SoundLibraryKind

/// Reads a log as a rebuild does: decompresses it, checks its chain and decodes every event. `Tools/bench`
/// times it.
struct ScanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "scan")

  @Argument var events: String

  func run() throws {
    let replay = try ReplayAhead(
      CatalogLog(EventLogReader(directory: events), SoundLibrary()), for: .events)
    defer { replay.close() }
    var count = 0
    while try replay.nextBatch({ _, range in count += range.count }) != nil {}
    Embedder.say("\(count) events")
  }
}
