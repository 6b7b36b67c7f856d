import Foundation

/// Times what an app asks, again and again in one process.
///
/// Prints a line of JSON for each question: the times in ms, the first of them cold, and how many rows came.
struct QuestionTimer {
  /// How often each question is asked.
  let runs: Int

  private struct Line: Encodable {
    let question: String
    let rows: Int
    /// Milliseconds.
    let first: Double
    let median: Double
    let longest: Double
  }

  /// - Parameter body: asks, and returns how many rows came.
  func time(_ question: String, _ body: () async throws -> Int) async throws {
    var times: [Double] = []
    var rows = 0
    for _ in 0..<runs {
      let start = ContinuousClock.now
      rows = try await body()
      times.append(start.duration(to: .now) / .milliseconds(1))
    }
    let sorted = times.sorted()
    let line = Line(
      question: question, rows: rows, first: times[0], median: sorted[sorted.count / 2],
      longest: sorted[sorted.count - 1])
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    Embedder.say(String(decoding: try encoder.encode(line), as: UTF8.self))
  }
}
