import CatalogEngine
import Foundation
import Synchronization

/// How far a replay has come, and what it found on its way, told from process to process: lines on standard error that
/// begin with a mark.
enum ReplayProgress {
  private static let mark = "\u{1}progress "
  private static let problemMark = "\u{1}problem "

  static let nobody: ProgressObserver = { _ in }

  /// Writes a line a second at most.
  static func reporter() -> ProgressObserver {
    let last = Mutex<(at: ContinuousClock.Instant, phase: CatalogProgress.Phase?)>((.now, nil))
    return { progress in
      let isDue = last.withLock { last in
        guard last.phase != progress.phase || last.at.duration(to: .now) > .seconds(1) else {
          return false
        }
        last = (.now, progress.phase)
        return true
      }
      guard isDue else { return }
      let total = progress.total.map(String.init) ?? "-"
      Console.current.error(
        verbatim: "\(mark)\(progress.done) \(total) \(progress.phase.rawValue)\n")
    }
  }

  /// Writes a line for something that is not what the log makes.
  static func report(problem: String) {
    let line = problem.replacing("\n", with: " ")
    Console.current.error(verbatim: "\(problemMark)\(line)\n")
  }

  /// Takes these lines out of what a replay writes to standard error.
  struct Reader {
    private var rest = Data()
    private var others = Data()
    private(set) var problems: [String] = []

    /// - Returns: the last progress that these bytes tell of.
    mutating func read(_ bytes: Data) -> CatalogProgress? {
      rest += bytes
      var progress: CatalogProgress?
      while let end = rest.firstIndex(of: 0x0A) {
        let line = rest[...end]
        let text = String(decoding: line.dropLast(), as: UTF8.self)
        if let told = Self.progress(text) {
          progress = told
        } else if text.hasPrefix(problemMark) {
          problems.append(String(text.dropFirst(problemMark.count)))
        } else {
          others += line
        }
        rest = Data(rest[(end + 1)...])
      }
      return progress
    }

    /// All else that was written.
    var message: String { String(decoding: others + rest, as: UTF8.self) }

    private static func progress(_ line: String) -> CatalogProgress? {
      guard line.hasPrefix(mark) else { return nil }
      let parts = line.dropFirst(mark.count).split(separator: " ", maxSplits: 2)
      guard parts.count == 3, let done = Int(parts[0]),
        let phase = CatalogProgress.Phase(rawValue: String(parts[2]))
      else { return nil }
      return CatalogProgress(phase: phase, done: done, total: Int(parts[1]))
    }
  }
}
