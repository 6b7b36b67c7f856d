import CatalogModel
import CatalogStore
import EngineCommands
import Foundation
import SoundLibrary
import Synchronization

/// Shows how far downloads have come: a line for each that runs, drawn over and over, on a terminal; a
/// line every few seconds off it.
final class DownloadPrinter: Sendable {
  private struct State {
    var running: [UUID: PackProgress] = [:]
    var drawn = 0
    var lastShown = ContinuousClock.now
  }

  private let console: Console
  private let titles: [UUID: String]
  private let order: [UUID]
  private let state = Mutex(State())

  init(_ console: Console, _ packs: [SelectedPack]) {
    self.console = console
    order = packs.map(\.id)
    titles = Dictionary(packs.map { ($0.id, $0.title) }) { first, _ in first }
  }

  func show(_ progress: PackProgress) {
    guard console.progress != .none else { return }
    state.withLock { state in
      state.running[progress.packID] = progress.phase == .waiting ? nil : progress
      let now = ContinuousClock.now
      let pause: Duration = console.progress == .bar ? .milliseconds(100) : .seconds(5)
      guard now - state.lastShown >= pause else { return }
      state.lastShown = now
      draw(&state)
    }
  }

  /// A download is over: its line makes room for what is said of it.
  func end(_ pack: UUID) {
    state.withLock { state in
      state.running[pack] = nil
      clear(&state)
    }
  }

  func finish() {
    state.withLock { clear(&$0) }
  }

  private func draw(_ state: inout State) {
    let lines = order.compactMap { pack in state.running[pack].map { line($0, titles[pack] ?? "") }
    }
    if console.progress == .lines {
      for line in lines { console.error("progress: \(line)") }
      return
    }
    clear(&state)
    // A line that wraps could not be taken back: it would be more than one.
    let width = Self.terminalWidth - 1
    console.error(verbatim: lines.map { $0.prefix(columns: width) + "\n" }.joined())
    state.drawn = lines.count
  }

  private func clear(_ state: inout State) {
    guard state.drawn > 0, console.progress == .bar else { return }
    console.error(verbatim: "\u{1B}[\(state.drawn)A\u{1B}[J")
    state.drawn = 0
  }

  private func line(_ progress: PackProgress, _ title: String) -> String {
    // A title may hold what would steer a terminal.
    let title = String(
      title.prefix(columns: 28).map {
        $0.unicodeScalars.contains(where: TerminalControlCharacters.contains) ? "?" : $0
      })
    guard progress.phase != .preparing, let total = progress.bytesTotal else {
      return "\(title): \(progress.phase.rawValue) …"
    }
    var line = ""
    if console.progress == .bar {
      let width = 20
      let filled = total > 0 ? Int(progress.bytesDownloaded * Int64(width) / total) : width
      line = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
      line += "  "
    }
    line += "\(title): \(Count.bytes(progress.bytesDownloaded)) of \(Count.bytes(total))"
    if let assets = progress.assetsTotal { line += ", \(progress.assetsDone) of \(assets) assets" }
    if progress.phase == .installing { return line + ", installing" }
    if let rate = progress.bytesPerSecond { line += ", \(Count.bytes(Int64(rate)))/s" }
    if let left = progress.timeLeft { line += ", \(Count.time(left)) left" }
    return line
  }

  /// In columns; 80 where it is not known.
  private static var terminalWidth: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else { return 80 }
    return Int(size.ws_col)
  }
}
