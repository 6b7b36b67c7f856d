public import CatalogEngine
import Synchronization

/// Shows how far a long command has come: a bar on a terminal, a line every few seconds off it,
/// nothing at all where it is done within a second.
///
/// ```swift
/// let progress = ProgressPrinter(Console.current)
/// defer { progress.finish() }
/// let catalog = try await EventCatalog.openExisting(
///   options.directory, Bookshelf(), options: options.opening(progress))
/// ```
public final class ProgressPrinter: Sendable {
  private struct State {
    var phase: CatalogProgress.Phase?
    var lastShown: ContinuousClock.Instant
    var hasDrawn = false
  }

  private let console: Console
  private let started = ContinuousClock.now
  private let state: Mutex<State>

  /// - Parameter console: whose standard error it writes to.
  public init(_ console: Console) {
    self.console = console
    state = Mutex(State(lastShown: ContinuousClock.now))
  }

  /// Receives the progress; may be called on any thread.
  public var observer: ProgressObserver {
    { self.show($0) }
  }

  /// Clears the bar, so that what follows stands on a line of its own.
  public func finish() {
    state.withLock { state in
      if state.hasDrawn, console.progress == .bar { console.error(verbatim: "\r\u{1B}[K") }
      state.hasDrawn = false
    }
  }

  private func show(_ progress: CatalogProgress) {
    let now = ContinuousClock.now
    guard console.progress != .none, now - started > .seconds(1) else { return }
    state.withLock { state in
      let pause: Duration = console.progress == .bar ? .milliseconds(100) : .seconds(5)
      guard now - state.lastShown > pause || !state.hasDrawn else { return }
      state.lastShown = now
      state.hasDrawn = true
      console.error(verbatim: console.progress == .bar ? bar(progress) : line(progress))
    }
  }

  private func bar(_ progress: CatalogProgress) -> String {
    guard let total = progress.total, total > 0 else {
      return "\r\u{1B}[K\(progress.phase.rawValue) …"
    }
    let width = 30
    let filled = min(width, progress.done * width / total)
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    let percent = min(100, progress.done * 100 / total)
    return "\r\u{1B}[K\(bar) \(percent) %  \(progress.phase.rawValue)"
  }

  private func line(_ progress: CatalogProgress) -> String {
    guard let total = progress.total else { return "progress: \(progress.phase.rawValue) …\n" }
    return "progress: \(progress.phase.rawValue), \(progress.done) of \(total)\n"
  }
}
