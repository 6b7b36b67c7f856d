import CatalogEngine
import Foundation
import Synchronization

/// A line of JSON on standard output, by which a replay reports to the `verify` that started it.
enum ReplayMessage: Codable, Hashable {
  case progress(phase: String, done: Int, total: Int?)
  /// The last line: the receipt of the written file.
  case result(receipt: String)

  func write(to console: Console) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    console.write(verbatim: String(decoding: try encoder.encode(self), as: UTF8.self) + "\n")
  }

  /// Writes how far a replay has come: a line a second at most, and one for each new phase.
  static func reporter(_ console: Console) -> ProgressObserver {
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
      // Numbers and a word can always be encoded.
      try? ReplayMessage.progress(
        phase: progress.phase.rawValue, done: progress.done, total: progress.total
      ).write(to: console)
    }
  }

  /// The progress of this message; nil if it is a result, or reports a phase that this program does not know.
  var progress: CatalogProgress? {
    guard case .progress(let phase, let done, let total) = self else { return nil }
    return CatalogProgress.Phase(rawValue: phase)
      .map { CatalogProgress(phase: $0, done: done, total: total) }
  }

  /// Takes messages apart that a pipe hands over in pieces.
  struct Reader {
    private var rest: [UInt8] = []

    /// - Throws: `DecodingError` if a line is not a message.
    mutating func read(_ bytes: [UInt8]) throws -> [ReplayMessage] {
      rest += bytes
      var lines = rest.split(separator: 0x0A, omittingEmptySubsequences: false)
      rest = Array(lines.removeLast())
      return try lines.map { try JSONDecoder().decode(ReplayMessage.self, from: Data($0)) }
    }
  }
}
