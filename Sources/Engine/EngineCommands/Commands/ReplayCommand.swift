import ArgumentParser
import CatalogEngine
import CatalogStore
import EventLog
import Foundation
import Projections
import Recoveries

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One of the replays of `verify`, in a process of its own.
struct ReplayCommand: ParsableCommand {
  enum Mode: String, ExpressibleByArgument, CaseIterable {
    /// Fold in memory, write pages.
    case memory
    /// The same up to an event, and the last ones row by row, through the plain reader.
    case carried
    /// Every event row by row, through the plain reader; kept snapshots are compared on the way.
    case incremental
    /// From a snapshot on, which is made on the way where the catalog has none.
    case snapshot
    /// As `memory`: the bytes must be the same.
    case again
  }

  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replay the log into a new file and print its receipt.",
    shouldDisplay: false)

  @OptionGroup var options: CatalogOptions

  @Option(name: .long) var mode: Mode
  @Option(name: .long) var through: UInt64
  @Option(name: .long) var out: String
  /// Ends when standard input does: with the process that holds its other end, however that ends.
  @Flag(name: .long) var withParent = false

  func run() throws {
    if withParent {
      // Not waited for: it ends with the process.
      Thread.detachNewThread {
        ParentTether.waitForEnd(of: STDIN_FILENO)
        _exit(ExitStatus.interrupted.rawValue)
      }
    }
    // `verify` has compared it with the database.
    let log = try KnownKinds.current.log(
      options.directory.existingLog(), besides: options.directory.database)
    // Told to the process that reads it, and to nobody else.
    let progress = withParent ? ReplayProgress.reporter() : ReplayProgress.nobody
    switch mode {
    case .memory, .again:
      try ProjectionRebuild(log, through: through, progress: progress).write(to: out)
    case .carried: try CarriedReplay(log, through: through, progress: progress).write(to: out)
    case .incremental:
      try CarriedReplay(
        log, through: through, carrying: through,
        comparing: Snapshots(options.directory, log),
        differs: { ReplayProgress.report(problem: $0.description) },
        progress: progress
      ).write(to: out)
    case .snapshot: try replayFromSnapshot(log, progress)
    }
    progress(CatalogProgress(phase: .digesting, done: 0, total: nil))
    Console.current.write(
      verbatim: try ProjectionFile.receipt(of: out, log.kind.schema).json())
  }

  private func replayFromSnapshot(
    _ log: CatalogLog, _ progress: @escaping ProgressObserver
  ) throws {
    let console = Console.current
    let kept = try PastStates(
      log, snapshots: Snapshots(options.directory, log), progress: progress,
      didPass: { console.error("\(ProgramName.current): warning: \($0)") })
    if try kept.writeFromSnapshot(through: through, to: out) != nil { return }
    let own = Snapshots(folder: out + ".snapshots", log)
    // All events are carried by another replay: this one shows that a snapshot is a beginning like any other.
    let start = max(1, through / 2, through - CarriedReplay.events(of: through))
    var batch = try log.batch(containing: start)
    // Of the head there would be nothing to carry.
    if batch.lastSequence >= through, batch.firstSequence > 1 {
      batch = try log.batch(containing: batch.firstSequence - 1)
    }
    _ = try own.make(min(batch.lastSequence, through), budget: .max, progress: progress)
    guard
      try PastStates(log, snapshots: own, progress: progress).writeFromSnapshot(
        through: through, to: out) != nil
    else {
      throw CatalogError(.verification, "a snapshot that was just made cannot be used")
    }
  }
}
