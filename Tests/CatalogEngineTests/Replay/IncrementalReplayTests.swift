import CatalogModel
import CatalogStore
import CatalogTestSupport
import EventLog
import Foundation
import GRDB
import Projections
import Promises
import Testing

@testable import CatalogEngine

/// Pages up to an event and rows from there on are what pages alone are, wherever the event is.
@Suite(
  .promise(
    "Pages up to an event and rows from there on are what pages alone are, wherever the "
      + "event is",
    by: "running digests and conflicts too"))
struct IncrementalReplayTests {
  @Test(arguments: [71, 72, 73])
  func carriedFromAnywhereItIsTheSame(seed: UInt64) async throws {
    let history = try await ShelvesHistory(seed: seed, batches: 60, seals: seed == 72)
    let last = history.last
    let folder = try ScratchFolder()
    let bulk = folder.file("bulk.sqlite")
    try ProjectionRebuild(history.log).write(to: bulk)
    let expected = try Self.content(of: bulk)
    #expect(expected.count > 10, "few events contradict others")
    // Ends of batches, places within the first, the last and any batch, none and all.
    var choice = SeededGenerator("places \(seed)")
    let ends = history.batches.map(\.upperBound)
    var splits: [UInt64] = [0, 1, ends[0], ends[1], last - 1, last]
    for _ in 0..<8 { splits.append(UInt64.random(in: 1..<last, using: &choice)) }
    for split in splits {
      let path = folder.file("\(split).sqlite")
      try? FileManager.default.removeItem(atPath: path)
      try IncrementalReplay(history.log, through: last, carrying: last - split).write(to: path)
      #expect(try Self.content(of: path) == expected, "carried after event \(split)")
    }
  }

  /// The rows of a state, with running digests and conflicts.
  private static func content(of path: String) throws -> [String] {
    let projection = try ProjectionDatabase(path: path, migrations: Shelves().migrations)
    defer { try? projection.close() }
    let inspection = try projection.pool.read {
      try ProjectionInspection($0, projection.migrations)
    }
    #expect(inspection.isSound, "\(inspection)")
    let conflicts = try projection.inspect { try ConflictTable.read($0) }
    return [try projection.receipt().json()] + conflicts.map { "\($0)" }
  }

  @Test func itEndsWithAWholeBatchOfThePast() async throws {
    let history = try await ShelvesHistory(seed: 74, batches: 40)
    let end = history.batches[20].upperBound
    let folder = try ScratchFolder()
    try ProjectionRebuild(history.log, through: end).write(to: folder.file("bulk.sqlite"))
    try IncrementalReplay(history.log, through: end, carrying: 7).write(to: folder.file("a.sqlite"))
    #expect(
      try Self.content(of: folder.file("a.sqlite"))
        == Self.content(of: folder.file("bulk.sqlite")))
  }

  @Test func aShortLogIsCarriedAsAWhole() {
    #expect(IncrementalReplay.events(of: 3_533) == 3_533)
    #expect(IncrementalReplay.events(of: 100_000) == 100_000)
    #expect(IncrementalReplay.events(of: 100_001) == 50_000)
  }

  @Test func noFileIsLeftAfterAFailure() async throws {
    let history = try await ShelvesHistory(seed: 75, batches: 4)
    let folder = try ScratchFolder()
    let path = try folder.write("precious", to: "a.sqlite")
    #expect(throws: CatalogError.self) {
      try IncrementalReplay(history.log, through: 3).write(to: path)
    }
    #expect(try folder.bytes("a.sqlite") == Array("precious".utf8))
  }
}
