import CatalogTestSupport
import Foundation
import Testing

/// A catalog in a folder of its own, worked on through the commands.
final class TestCatalog: Sendable {
  let folder: ScratchFolder
  /// The catalog's folder; made by the first import.
  let path: String

  static let time = "2026-01-31T12:00:00Z"

  /// - Parameter isForEverybody: whether another user can reach its folder.
  init(isForEverybody: Bool = false) throws {
    folder = try ScratchFolder(isForEverybody: isForEverybody)
    path = folder.file("catalog")
  }

  /// A catalog that holds the sample seed.
  static func imported(revision: Int = 1) async throws -> TestCatalog {
    let catalog = try TestCatalog()
    let outcome = try await catalog.importSeed(SampleSeed.text(revision: revision))
    try #require(outcome.status == 0, "\(outcome)")
    return catalog
  }

  /// A copy of this catalog, in a folder of its own.
  ///
  /// - Parameters:
  ///   - hasHistory: whether the history is copied, too. That of a shared catalog comes and goes, as do the files beside
  ///     its database: other tests read it.
  ///   - isForEverybody: whether another user can reach its folder.
  func copy(hasHistory: Bool = true, isForEverybody: Bool = false) throws -> TestCatalog {
    let other = try TestCatalog(isForEverybody: isForEverybody)
    guard FileManager.default.fileExists(atPath: path) else { return other }
    guard !hasHistory else {
      try FileManager.default.copyItem(atPath: path, toPath: other.path)
      return other
    }
    try FileManager.default.createDirectory(
      atPath: other.path, withIntermediateDirectories: true)
    for name in try FileManager.default.contentsOfDirectory(atPath: path)
    where !name.hasPrefix("history.sqlite") && !name.hasSuffix("-shm") && !name.hasSuffix("-wal") {
      try FileManager.default.copyItem(
        atPath: "\(path)/\(name)", toPath: "\(other.path)/\(name)")
    }
    return other
  }

  var events: String { path + "/events" }
  var database: String { path + "/catalog.sqlite" }
  var firstSegment: String { events + "/00000000000000000001.jsonl.zst" }

  /// Runs a command within this process.
  func run(_ arguments: String...) async -> Outcome {
    await InProcess.run(arguments + ["--catalog", path])
  }

  /// Runs a command of the real program.
  func program(
    _ arguments: String..., environment: [String: String] = [:]
  ) async throws -> Outcome {
    try await Program.catalogctl(arguments + ["--catalog", path], environment: environment)
  }

  @discardableResult
  func importSeed(_ text: String, _ options: String...) async throws -> Outcome {
    let seed = try folder.write(text, to: "seed.json")
    return await InProcess.run(
      ["import", seed, "--at", TestCatalog.time, "--catalog", path] + options)
  }

  /// Sequence, chain hash and log id.
  func head() async throws -> Head {
    let outcome = await run("head", "--format", "json")
    let object = try outcome.object()
    return Head(
      sequence: try #require(object["sequence"] as? Int),
      chain: try #require(object["chain"] as? String),
      logID: try #require(object["logId"] as? String))
  }

  func receipt(content: Bool = false) async throws -> String {
    let outcome =
      content ? await run("receipt", "--content") : await run("receipt")
    try #require(outcome.status == 0, "\(outcome)")
    return outcome.output
  }

  /// Bytes of the events folder, but for the lock, whose text names the last writer.
  func eventBytes() throws -> [String: [UInt8]] {
    try ScratchFolder.contents(events)
  }

  /// Changes the database by hand.
  func sqlite(_ statement: String) async throws {
    let outcome = try await Program.run("sqlite3", [database, statement])
    try #require(outcome.status == 0, "\(outcome)")
  }

  func query(_ statement: String) async throws -> String {
    let outcome = try await Program.run("sqlite3", [database, statement])
    try #require(outcome.status == 0, "\(outcome)")
    return outcome.output.trimmingCharacters(in: .newlines)
  }
}

struct Head: Hashable {
  var sequence: Int
  var chain: String
  var logID: String
}
