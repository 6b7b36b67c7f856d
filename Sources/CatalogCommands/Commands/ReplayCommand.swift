import ArgumentParser
import Catalog
import CatalogStore

/// One of the two replays of `verify`, in a process of its own.
struct ReplayCommand: ParsableCommand {
  enum Mode: String, ExpressibleByArgument, CaseIterable {
    /// Fold in memory, bulk write.
    case memory
    /// Event by event into SQLite.
    case incremental
  }

  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replay the log into a new file and print its receipt.",
    shouldDisplay: false)

  @OptionGroup var options: CatalogOptions

  @Option(name: .long) var mode: Mode
  @Option(name: .long) var through: UInt64
  @Option(name: .long) var batchesPerTransaction: Int = 1
  @Option(name: .long) var out: String

  func run() throws {
    let log = try options.log()
    if mode == .memory { try ProjectionRebuild(log, through: through).write(to: out) }
    let projection = try ProjectionDatabase(path: out)
    if mode == .incremental {
      try projection.createTables()
      try ProjectionUpdate(log, projection).catchUp(
        through: through, batchesPerTransaction: batchesPerTransaction)
    }
    Console.current.write(verbatim: try projection.receipt().json())
    try projection.close()
  }
}
