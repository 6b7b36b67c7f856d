import ArgumentParser
import EventLog
import PostgresLog
import Projections
import SoundLibrary

/// Reads a log as a rebuild does: decompresses it, checks its chain and decodes every event. `Tools/bench`
/// times it.
struct ScanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "scan")

  /// A folder, or an address of a server.
  @Argument var events: String

  func run() throws {
    let replay = try ReplayAhead(CatalogLog(Self.log(events), SoundLibraryKind()), for: .events)
    defer { replay.close() }
    var count = 0
    while try replay.nextBatch({ _, range in count += range.count }) != nil {}
    Embedder.say("\(count) events")
  }

  /// The log in a folder or at an address.
  static func log(_ place: String) throws -> any LogStore {
    PostgresAddress.isOne(place)
      ? PostgresStore.log(at: try PostgresAddress(place)) : EventLogReader(directory: place)
  }
}
