public import CatalogEngine
import CatalogStore
import EventLog
import LibC
import Support

extension CatalogOptions {
  /// Runs what a command does to a catalog. On Ctrl-C the process ends and says how much of that is in the log.
  ///
  /// - Parameters:
  ///   - endsAtOnce: whether Ctrl-C ends the process; if not, the caller handles it.
  ///   - interrupted: writes what is left to write before that.
  ///   - body: opens the catalog with these options.
  /// - Throws: `CatalogError` with `readOnly` if nothing can be written, before anything else is done.
  public func changing<Result>(
    _ waiting: WaitOptions, clock: CatalogClock = .system, endsAtOnce: Bool = true,
    interrupted: @escaping @Sendable () -> Void = {},
    _ body: (OpeningOptions, ProgressPrinter) async throws -> Result
  ) async throws -> Result {
    try directory.requireWritable()
    try directory.store().allowSilence(of: waiting.duration)
    return try await interruptible(
      waiting, clock: clock, endsAtOnce: endsAtOnce, nothing: "nothing was appended",
      interrupted: interrupted
    ) { opening, progress in
      do {
        return try await body(opening, progress)
      } catch let error as StoreError
        where [.drifted, .volume].contains(error.code) && opening.appends?.isEmpty == true
      {
        throw error.adding("; nothing was appended")
      } catch let error as EventLogError
        where error.code == .lostEvents && opening.appends?.isEmpty == true
      {
        throw error.adding("; nothing was appended")
      }
    }
  }

  /// Runs what a command does. On Ctrl-C the process ends and says how much of it was done.
  ///
  /// - Parameters:
  ///   - endsAtOnce: as for `changing`.
  ///   - nothing: what is said if nothing was done yet.
  ///   - interrupted: writes what is left to write before that.
  ///   - body: opens the catalog with these options.
  func interruptible<Result>(
    _ waiting: WaitOptions, clock: CatalogClock = .system, endsAtOnce: Bool = true,
    nothing: String,
    interrupted: @escaping @Sendable () -> Void = {},
    _ body: (OpeningOptions, ProgressPrinter) async throws -> Result
  ) async throws -> Result {
    let console = Console.current
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    let appends = AppendRecord()
    var opening = opening(progress, wait: waiting.duration, clock: clock)
    opening.appends = appends
    opening.isForChange = true
    guard endsAtOnce else { return try await body(opening, progress) }
    let interruption = Interruption {
      appends.end { outcome in
        progress.finish()
        interrupted()
        console.failure("\(ProgramName.current): interrupted: \(outcome.words(nothing))")
        // Other threads still work: nothing may be torn down under them.
        _exit(ExitStatus.interrupted.rawValue)
      }
    }
    defer { interruption.end() }
    return try await body(opening, progress)
  }
}

extension AppendRecord.Outcome {
  fileprivate func words(_ nothing: String) -> String {
    switch self {
    case .nothing: nothing
    case .created: "the catalog was created, and nothing else was appended"
    case .appended(let head): "appended, head \(head.sequence); the next command applies it"
    case .applied(let head): "appended and applied, head \(head.sequence)"
    case .sealed(let count):
      "\(Count.of(count, "segment")) compacted, the others are as they were; the same command continues"
    case .rebuilt: "the database was rebuilt, and nothing was appended"
    }
  }
}
