import ArgumentParser
import CatalogModel
import CatalogTestSupport
import EventLog
import SoundLibrary
import SoundLibraryTestSupport

/// Writes a log of events that contradict each other as often as not: any type in any order, of few items, packs,
/// names and ids.
struct ContradictCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "contradict")

  @Argument var events: String
  @Option var seed: UInt64
  /// Events to write.
  @Option var count = 10_000

  func run() throws {
    var history = ContradictoryHistory(seed: seed)
    let records = history.records(count)
    guard case .catalogCreated(let created)? = records.first?.event else { return }
    let writer = try EventLogWriter(
      directory: events, logID: LogID(created.logID.description), holder: "embedder")
    defer { writer.close() }
    var rest = records[...]
    var length = 1
    while !rest.isEmpty {
      var batch = try writer.makeBatch(expecting: writer.head)
      for record in rest.prefix(length) {
        try EventEncoder().encode(record).withUnsafeBytes { try batch.append(line: $0) }
      }
      _ = try writer.append(batch)
      rest = rest.dropFirst(length)
      length = 1 + Int((seed &+ UInt64(rest.count)) % 97)
    }
  }
}
