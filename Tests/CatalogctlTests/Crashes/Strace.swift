import CatalogTestSupport
import Foundation
import Testing

/// Kills the real program at a chosen system call.
enum Strace {
  /// On entry to the nth call of this name that one thread makes.
  struct Point: Sendable, CustomStringConvertible {
    let call: String
    let number: Int

    var description: String { "killed at \(call) \(number)" }

    /// The numbers that are tried, one after the other, until a run comes to one.
    var attempts: [Int] {
      [number, number, number - 1, number - 2, number / 2, 1].map { max(1, $0) }
    }
  }

  static let calls = [
    "write", "pwrite64", "fdatasync", "fsync", "link", "linkat", "rename", "renameat2", "ftruncate",
    "unlink",
  ]

  static let works: Bool = {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["strace", "-f", "-o", "/dev/null", "true"]
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      return false
    }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  /// Imports a seed, and tells at which calls it could have been killed.
  static func points(
    of seed: String, in catalog: TestCatalog, atMost limit: Int
  ) async throws -> [Point] {
    let file = try catalog.folder.write(seed, to: "seed.json")
    return try await points(importing(file, into: catalog), in: catalog, atMost: limit)
  }

  /// - Parameter limit: the most points; of a call that is made more often, points at even
  ///   distances, the first and the last among them.
  static func points(
    _ arguments: [String], in catalog: TestCatalog, atMost limit: Int
  ) async throws -> [Point] {
    let trace = catalog.folder.file("trace")
    let outcome = try await Program.run(
      "strace",
      ["-f", "-o", trace, "-e", "trace=\(calls.joined(separator: ","))", Program.catalogctl]
        + arguments)
    try #require(outcome.status == 0, "\(outcome)")
    // strace counts the calls of each thread by itself.
    var counts: [String: [Substring: Int]] = [:]
    for line in try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n") {
      let parts = line.split(maxSplits: 1, whereSeparator: \.isWhitespace)
      guard parts.count == 2, let end = parts[1].firstIndex(of: "(") else { continue }
      let name = String(parts[1][..<end]).trimmingCharacters(in: .whitespaces)
      guard calls.contains(name) else { continue }
      counts[name, default: [:]][parts[0], default: 0] += 1
    }
    let most = counts.mapValues { $0.values.max() ?? 0 }
    let few = most.filter { $0.key != "pwrite64" }.values.reduce(0, +)
    return calls.flatMap { call -> [Point] in
      guard let count = most[call], count > 0 else { return [] }
      let share = call == "pwrite64" ? max(2, limit - few) : count
      guard share < count else { return (1...count).map { Point(call: call, number: $0) } }
      return (0..<share).map {
        Point(call: call, number: 1 + $0 * (count - 1) / (share - 1))
      }
    }
  }

  static func kill(
    _ point: Point, during seed: String, in catalog: TestCatalog
  ) async throws -> Outcome {
    let file = try catalog.folder.write(seed, to: "seed.json")
    return try await kill(point, importing(file, into: catalog))
  }

  static func kill(_ point: Point, _ arguments: [String]) async throws -> Outcome {
    try await Program.run(
      "strace",
      [
        "-f", "-o", "/dev/null", "-e", "trace=\(point.call)",
        "-e", "inject=\(point.call):signal=SIGKILL:when=\(point.number)", Program.catalogctl,
      ] + arguments)
  }

  /// Runs `body` for each point, two at a time; nearly all must have ended by the kill.
  ///
  /// strace counts the calls of each thread by itself, and which thread of a pool makes a call differs from run to run;
  /// how many calls SQLite makes differs a little, too. So a run that never came to its point is done again, and then
  /// with an earlier one.
  ///
  /// - Parameters:
  ///   - mustEnd: false if the program may outlive what was done to it.
  ///   - body: with a catalog of its own; returns how the run that was to be killed ended.
  static func atEach(
    _ points: [Point], mustEnd: Bool = true,
    _ body: @escaping @Sendable (Point) async throws -> Outcome
  ) async throws {
    var killed = 0
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for (index, point) in points.enumerated() {
        if index >= 2, try await group.next() == true { killed += 1 }
        group.addTask {
          for number in mustEnd ? point.attempts : [point.number] {
            let attempt = Point(call: point.call, number: number)
            if try await body(attempt).status != 0 { return true }
          }
          return false
        }
      }
      for try await isKilled in group where isKilled { killed += 1 }
    }
    #expect(
      !mustEnd || killed >= points.count * 9 / 10,
      "only \(killed) of \(points.count) points were reached")
  }

  private static func importing(_ seed: String, into catalog: TestCatalog) -> [String] {
    ["import", seed, "--at", TestCatalog.time, "--catalog", catalog.path]
  }
}
