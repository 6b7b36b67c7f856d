public import CatalogEngine

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension CatalogOptions {
  /// Runs what a command does to a catalog. On Ctrl-C the process ends and says how much of that is in the log.
  ///
  /// - Parameters:
  ///   - interrupted: writes what is left to write before that.
  ///   - body: opens the catalog with these options.
  public func changing<Result>(
    _ waiting: WaitOptions, clock: CatalogClock = .system,
    interrupted: @escaping @Sendable () -> Void = {},
    _ body: (OpeningOptions, ProgressPrinter) async throws -> Result
  ) async throws -> Result {
    let console = Console.current
    let progress = ProgressPrinter(console)
    defer { progress.finish() }
    let appends = AppendRecord()
    var opening = opening(progress, wait: waiting.duration, clock: clock)
    opening.appends = appends
    let interruption = Interruption {
      appends.end { outcome in
        progress.finish()
        interrupted()
        console.failure("\(ProgramName.current): interrupted: \(outcome.words)")
        // Other threads still work: nothing may be torn down under them.
        _exit(ExitStatus.interrupted.rawValue)
      }
    }
    defer { interruption.end() }
    return try await body(opening, progress)
  }
}

extension AppendRecord.Outcome {
  fileprivate var words: String {
    switch self {
    case .nothing: "nothing was appended"
    case .created: "the catalog was created, and nothing else was appended"
    case .appended(let head): "appended, head \(head.sequence); the next command applies it"
    case .applied(let head): "appended and applied, head \(head.sequence)"
    }
  }
}
