public import CatalogEngine
import Synchronization

/// Shows how far a long command has come, and how long the rest of its phase takes at the speed so far: by a bar on a terminal, by a
/// line every few seconds elsewhere. Of a command that is done within a second it shows nothing.
///
/// ```swift
/// let progress = ProgressPrinter(Console.current)
/// defer { progress.finish() }
/// let catalog = try await EventCatalog.openExisting(
///   options.directory, Bookshelf(), options: options.opening(progress))
/// ```
public final class ProgressPrinter: Sendable {
  private struct State {
    /// The beginning of the work that is shown.
    var started: ContinuousClock.Instant
    /// The first update of the current phase, and its time.
    var phase: (start: CatalogProgress, at: ContinuousClock.Instant)?
    var lastShown: ContinuousClock.Instant
    var hasDrawn = false
  }

  private let console: Console
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state: Mutex<State>

  /// - Parameter console: whose standard error it writes to.
  public convenience init(_ console: Console) { self.init(console, now: { .now }) }

  /// - Parameter now: the clock.
  init(_ console: Console, now: @escaping @Sendable () -> ContinuousClock.Instant) {
    self.console = console
    self.now = now
    let started = now()
    state = Mutex(State(started: started, lastShown: started))
  }

  /// Receives the progress; may be called on any thread.
  public var observer: ProgressObserver {
    { self.show($0) }
  }

  /// Begins with other work, of which nothing is shown if it is done within a second.
  func restart() {
    finish()
    let now = now()
    state.withLock { $0 = State(started: now, lastShown: now) }
  }

  /// Clears the bar, so that what comes next is on a line of its own.
  public func finish() {
    state.withLock { state in
      if state.hasDrawn, console.progress == .bar { console.error(verbatim: "\r\u{1B}[K") }
      state.hasDrawn = false
    }
  }

  private func show(_ progress: CatalogProgress) {
    guard console.progress != .none else { return }
    let now = now()
    state.withLock { state in
      if state.phase?.start.phase != progress.phase || progress.done < state.phase?.start.done ?? 0
      {
        state.phase = (progress, now)
      }
      guard now - state.started > .seconds(1) else { return }
      let pause: Duration = console.progress == .bar ? .milliseconds(100) : .seconds(5)
      guard now - state.lastShown > pause || !state.hasDrawn else { return }
      state.lastShown = now
      state.hasDrawn = true
      let left = state.phase.flatMap { Self.timeLeft(progress, since: $0.start, now - $0.at) }
      let words = left.map { ", \(Count.time($0)) left" } ?? ""
      console.error(
        verbatim: console.progress == .bar ? bar(progress, words) : line(progress, words))
    }
  }

  /// Guesses how long the rest of a phase takes.
  ///
  /// - Parameter time: that the phase has taken since `start`.
  /// - Returns: nil as long as too little is known: less than a second, or less than a fiftieth of the phase.
  private static func timeLeft(
    _ progress: CatalogProgress, since start: CatalogProgress, _ time: Duration
  ) -> Duration? {
    guard let total = progress.total, total > start.done, time >= .seconds(1) else { return nil }
    let share = Double(progress.done - start.done) / Double(total - start.done)
    guard share >= 0.02 else { return nil }
    return .seconds((time / .seconds(1) * max(0, 1 - share) / share).rounded(.up))
  }

  private func bar(_ progress: CatalogProgress, _ left: String) -> String {
    guard let total = progress.total, total > 0 else {
      return "\r\u{1B}[K\(progress.phase.rawValue) …"
    }
    let width = 30
    let filled = min(width, progress.done * width / total)
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    let percent = min(100, progress.done * 100 / total)
    return "\r\u{1B}[K\(bar) \(percent) %  \(progress.phase.rawValue)\(left)"
  }

  private func line(_ progress: CatalogProgress, _ left: String) -> String {
    guard let total = progress.total else { return "progress: \(progress.phase.rawValue) …\n" }
    return
      "progress: \(progress.phase.rawValue), \(Count.grouped(progress.done)) of \(Count.grouped(total))\(left)\n"
  }
}
