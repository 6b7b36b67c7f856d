import ArgumentParser
import CatalogEngine
import CatalogStore
import EventLog
import Foundation
import Projections
import Support

/// One of the replays of `verify`, in a process of its own. Writes `ReplayMessage`s to standard output.
struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replay the log into a new file and print its receipt.",
    shouldDisplay: false)

  @OptionGroup var options: CatalogOptions

  @Option(name: .long) var mode: ReplayMode
  @Option(name: .long) var through: UInt64
  @Option(name: .long) var out: String
  /// Carries every event row by row.
  @Flag(name: .long) var thorough = false
  /// Ends when standard input does: with the process that holds its other end, however that ends.
  @Flag(name: .long) var withParent = false

  func run() throws {
    if withParent {
      // Not waited for: it ends with the process.
      Thread.detachNewThread {
        ParentWatchdog.waitForEnd(of: STDIN_FILENO)
        _exit(ExitStatus.interrupted.rawValue)
      }
    }
    let console = Console.current
    // `verify` has compared it with the database.
    let directory = try options.directory
    let log = try KnownKinds.current.log(directory.existingLog(), besides: directory.database)
    let progress = ReplayMessage.reporter(console)
    switch mode {
    case .memory: try ProjectionRebuild(log, through: through, progress: progress).write(to: out)
    case .carried:
      try IncrementalReplay(
        log, through: through, carrying: thorough ? through : nil, progress: progress
      ).write(to: out)
    }
    progress(CatalogProgress(phase: .digesting, done: 0, total: nil))
    try ReplayMessage.result(receipt: ProjectionFile.receipt(of: out, log.kind.schema).json())
      .write(to: console)
  }
}
