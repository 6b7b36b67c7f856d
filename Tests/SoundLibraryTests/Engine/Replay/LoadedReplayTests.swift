import CatalogModel
import CatalogStore
import CatalogTestSupport
import EventLog
import Foundation
import Logging
import Promises
import StoreTestSupport
import Testing

@testable import CatalogEngine
@testable import SoundLibrary

/// Events that are applied to the loaded rows of a database make the file that a rebuild from event 1 makes.
@Suite(
  .promise(
    "Events that are applied to the loaded rows of a database write the bytes of a rebuild "
      + "from event 1",
    by: "rows changed by hand stay, on a real kind"))
struct LoadedReplayTests {
  @Test(arguments: [81, 82, 83])
  func loadedAnywhereItWritesTheSameBytes(seed: UInt64) throws {
    try expectSame(GeneratedHistory(seed: seed, batches: 60, seals: seed == 82), "seed \(seed)")
  }

  @Test(arguments: [84, 85])
  func conflictsStay(seed: UInt64) throws {
    let history = try GeneratedHistory(contradictory: seed, events: 400)
    let file = history.folder.file("all.sqlite")
    try ProjectionRebuild(history.log).write(to: file)
    let projection = try ProjectionDatabase(path: file, migrations: .soundLibrary)
    #expect(try projection.inspect { try ConflictTable.read($0) }.count > 20)
    try projection.close()
    try expectSame(history, "seed \(seed)")
  }

  private func expectSame(_ history: GeneratedHistory, _ comment: String) throws {
    let folder = try ScratchFolder()
    try ProjectionRebuild(history.log).write(to: folder.file("all.sqlite"))
    let expected = try folder.bytes("all.sqlite")
    for batch in stride(from: 0, to: history.batches.count, by: 9) {
      let end = try #require(history.batches[batch].last?.sequence)
      let path = folder.file("\(end).sqlite")
      try ProjectionRebuild(history.log, through: end).write(to: path)
      let projection = try ProjectionDatabase(path: path, migrations: .soundLibrary)
      let start = try #require(try projection.loadAll())
      try projection.close()
      let replay = try EventReplay(history.log, after: start.checkpoint.head)
      let applier = EventApplier(start.checkpoint.logID, history.log.kind)
      var checkpoint = start.checkpoint
      while let batch = try replay.nextBatch({ try applier.apply($0, $1, to: start.rows) }) {
        checkpoint.head = batch.head
      }
      try BulkWriter(.soundLibrary).write(
        start.rows, checkpoint: checkpoint, conflicts: start.conflicts + applier.takeConflicts(),
        to: folder.file("loaded-\(end).sqlite"))
      #expect(
        try folder.bytes("loaded-\(end).sqlite") == expected, "loaded at event \(end), \(comment)")
    }
  }

  /// So many items that a revision of all of them is loaded and folded.
  private static func large(_ revision: Int) -> TestSeed {
    var seed = TestSeed.sample(revision: revision)
    seed.packs[0].items += (0..<5_200).map { number in
      TestSeed.Item(
        id: TestSeed.id(10_000 + number), title: "Sound \(number) of \(revision)",
        tags: ["themes": ["Theme \((number + revision) % 40)"]])
    }
    return seed
  }

  @Test func aLargeRevisionMakesWhatARebuildMakes() async throws {
    let test = try ScratchCatalog()
    for revision in 1...3 { try await test.apply(Self.large(revision)) }
    let receipt = try await test.receipt()
    let reduced = try test.reduceInPython()
    #expect(reduced.status == 0, "\(reduced.output) \(reduced.errors)")
    try test.removeDatabase()
    #expect(try await test.receipt() == receipt)
  }

  /// Rows that were changed beside an open catalog, in tables that the import does not read, are evidence: they stay, and
  /// no event is applied over them.
  @Test func whatWasChangedByHandStays() async throws {
    let test = try ScratchCatalog()
    for revision in 1...2 { try await test.apply(Self.large(revision)) }
    let catalog = try await test.open { $0.drift = .refuse }
    defer { catalog.close() }
    try test.execute("DELETE FROM item_sfx_theme WHERE item_id = '\(TestSeed.id(101))'")
    let head = try catalog.log.head()
    let error = await #expect(throws: StoreError.self) {
      try await catalog.importer.applyUpdates(Self.large(3).source)
    }
    #expect(error?.code == .drifted)
    #expect(try catalog.log.head() == head)
    let found = try await QuickVerification(catalog.opened).run()
    #expect(found.findings.map(\.message).joined().contains("item_sfx_theme"))
  }
}
