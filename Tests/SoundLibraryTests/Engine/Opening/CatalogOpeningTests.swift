import CatalogModel
import CatalogStore
import CatalogTestSupport
import EventLog
import Foundation
import Projections
import Promises
import Testing

@testable import SoundLibrary

@Suite(
  .promise(
    "A crash between log and database costs nothing: the next program that opens the "
      + "catalog applies the events",
    by: "on a real kind"),
  .promise(
    "If the database is missing, lacks events, or was made by another projector or from "
      + "another log, the error says which, and the log is not changed",
    by: "on a real kind"),
  .promise(
    "An intact log is not blamed for a checkpoint that was changed",
    by: "on a real kind"))
struct CatalogOpeningTests {
  private let test: ScratchCatalog

  init() throws {
    test = try ScratchCatalog()
  }

  /// Appends events to the log and leaves the projection behind, as a crash would.
  private func append(_ events: [CatalogEvent]) throws {
    let writer = try EventLogWriter(directory: test.directory.events, holder: "test")
    defer { writer.close() }
    var batch = try writer.makeBatch(expecting: writer.head)
    for (index, event) in events.enumerated() {
      let line = EventEncoder().encode(
        EventRecord(
          sequence: writer.head.sequence + UInt64(index) + 1, at: Timestamp(milliseconds: 0),
          operation: EntityID(high: 1, low: 2), by: "cli", event: event))
      try line.withUnsafeBytes { try batch.append(line: $0) }
    }
    _ = try writer.append(batch)
  }

  private static let forest = CatalogEvent.dimensionValueAdded(
    DimensionValueAdded(
      dimension: TagDimension.all[1], id: 90, name: "Late", sortOrder: nil, isSystem: false))

  @Test func openCarriesOutWhatACrashLeftInTheLog() async throws {
    try await test.apply(.sample())
    try append([Self.forest])
    #expect(try test.rows("SELECT count(*) FROM mood WHERE name = 'Late'") == ["0"])
    let receipt = try await test.receipt()
    #expect(try test.rows("SELECT count(*) FROM mood WHERE name = 'Late'") == ["1"])
    #expect(try receipt.checkpoint.sequence == test.head?.sequence)
  }

  /// `importIfNeeded` looks at the log, not only at a projection that is behind.
  @Test func importIfNeededSeesARevisionThatACrashLeftInTheLog() async throws {
    try await test.apply(.sample())
    let catalog = try await test.open()
    defer { catalog.close() }
    try append([
      .seedImported(
        SeedImported(
          seed: "late", revision: 5, sha256: String(repeating: "0", count: 64),
          counts: SeedImported.Counts(values: 0, music: 0, packs: 0, packItems: 0)))
    ])
    let head = try test.head
    let report = try await catalog.importer.importIfNeeded(
      TestSeed(seedId: "late", revision: 1).source)
    #expect(report.outcome == .unchanged)
    #expect(report.documents[0].revision == 5)
    #expect(try test.head == head)
  }

  /// An app that opens the catalog to rebuild what was changed by hand gets a rebuilt database.
  @Test func rowsWithoutACheckpointAreRebuilt() async throws {
    try await test.apply(.sample())
    let before = try await test.receipt()
    try test.execute("DELETE FROM projection_checkpoint; UPDATE pack SET title = 'Mine'")
    await #expect(throws: StoreError.self) { try await test.open { $0.drift = .refuse } }
    try await test.open { $0.drift = .rebuild }.close()
    #expect(try await test.receipt() == before)
    #expect(try test.rows("SELECT count(*) FROM pack WHERE title = 'Mine'") == ["0"])
  }

  @Test func openMakesADatabaseThatWasRemovedAnew() async throws {
    try await test.apply(.sample())
    var seed = TestSeed.sample(revision: 2)
    seed.music[0].title = "Other"
    try await test.apply(seed)
    let before = try await test.receipt()
    try test.removeDatabase()
    #expect(try await test.receipt() == before)
  }

  @Test func projectionOfAnotherProjectorIsRebuiltOrRefused() async throws {
    try await test.apply(.sample())
    let before = try await test.receipt()
    try test.execute(
      "UPDATE projection_checkpoint SET fingerprint = 'old'; DELETE FROM library_item;")
    await #expect { try await test.open { $0.stale = .refuse } } throws: { error in
      (error as? CatalogError)?.code == .stale
    }
    #expect(try await test.receipt() == before)
  }

  /// A head that the log never had, in the checkpoint and where the running digests stand.
  private static let unknownHead = """
    UPDATE projection_checkpoint SET sequence = 99, chain = '\(String(repeating: "0", count: 64))';
    UPDATE projection_digest SET rows = 99, digest = zeroblob(32) WHERE table_name = ''
    """

  @Test(arguments: [
    unknownHead,
    "\(unknownHead); UPDATE projection_checkpoint SET fingerprint = 'old'",
    "\(unknownHead); DROP TABLE projection_digest",
  ])
  func logThatLacksWhatTheProjectionHasSeenIsRefused(sql: String) async throws {
    try await test.apply(.sample())
    try test.execute(sql)
    let rows = try test.rows("SELECT * FROM projection_checkpoint")
    await #expect { try await test.open() } throws: { error in
      (error as? EventLogError)?.code == .lostEvents
    }
    #expect(try test.rows("SELECT * FROM projection_checkpoint") == rows)
  }

  /// The chain hash, or the head of the running digests, is one that the log has: the log is whole.
  @Test(arguments: [
    "UPDATE projection_checkpoint SET sequence = sequence + 1",
    "UPDATE projection_checkpoint SET sequence = 26000; DROP TABLE projection_digest",
    "UPDATE projection_checkpoint SET chain = '\(String(repeating: "0", count: 64))'",
    "UPDATE projection_checkpoint SET chain = 'abc'",
  ])
  func aCheckpointThatWasChangedIsNotTakenForLostEvents(sql: String) async throws {
    try await test.apply(.sample())
    let before = try await test.receipt()
    try test.execute(sql)
    let error = await #expect(throws: StoreError.self) { try await test.open() }
    #expect(error?.code == .drifted)
    try await SoundCatalog.rebuild(test.directory, options: .init())
    #expect(try await test.receipt() == before)
    try test.execute(sql)
    let catalog = try await test.open { $0.drift = .rebuild }
    catalog.close()
    #expect(try await test.receipt() == before)
  }

  @Test func projectionWithoutItsLogIsRefused() async throws {
    try await test.apply(.sample())
    try FileManager.default.removeItem(atPath: test.directory.events)
    await #expect { try await test.open() } throws: { error in
      (error as? EventLogError)?.code == .lostEvents
    }
  }

  /// A log that goes while the catalog is open is lost, not empty.
  @Test func aLogThatIsRemovedFromAnOpenCatalogIsLost() async throws {
    try await test.apply(.sample())
    let catalog = try await test.open()
    defer { catalog.close() }
    try FileManager.default.removeItem(atPath: test.directory.events)
    let error = #expect(throws: EventLogError.self) {
      try catalog.change(by: "test") { _ in [] }
    }
    #expect(error?.code == .lostEvents)
    #expect(error?.description.contains("there is no event log in") == true)
  }

  /// A catalog in the folder of a log, however deep, would be damage of that log.
  @Test(arguments: ["inner", "deep/inner", "deep/er/inner"])
  func aCatalogIsNotCreatedInALog(_ name: String) async throws {
    try await test.apply(.sample())
    let place = "\(test.directory.events)/\(name)"
    let before = try ScratchFolder.contents(test.directory.events)
    for makesFolder in [false, true] {
      if makesFolder {
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      }
      let error = await #expect(throws: CatalogError.self) {
        let inner = try await SoundCatalog.open(CatalogDirectory(place))
        defer { inner.close() }
        try await inner.importer.applyUpdates(TestSeed.sample().source)
      }
      #expect(error?.code == .directory)
      if !makesFolder {
        #expect(try ScratchFolder.contents(test.directory.events) == before)
      }
      #expect(!FileManager.default.fileExists(atPath: place + "/events"))
    }
  }

  @Test(arguments: [false, true])
  func logOfAnotherCatalogIsRefused(isStale: Bool) async throws {
    try await test.apply(.sample())
    let other = try ScratchCatalog()
    let catalog = try await other.open { $0.newLogID = { LogID(bytes: Array(17...32)) } }
    try await catalog.importer.applyUpdates(TestSeed.sample().source)
    catalog.close()
    try FileManager.default.removeItem(atPath: test.directory.events)
    try FileManager.default.copyItem(atPath: other.directory.events, toPath: test.directory.events)
    if isStale { try test.execute("UPDATE projection_checkpoint SET fingerprint = 'old'") }
    await #expect { try await test.open() } throws: { error in
      (error as? CatalogError)?.code == .wrongLog
    }
  }

  @Test func tablesThatAnOlderProjectorNeverFilledMakeRoom() async throws {
    try await test.open().close()
    try test.execute("UPDATE grdb_migrations SET identifier = 'projection old'")
    #expect(try await test.apply(.sample()).outcome == .imported)
  }

  @Test func twoCatalogsOfOneFolderSeeEachOther() async throws {
    let one = try await test.open()
    let two = try await test.open()
    defer {
      one.close()
      two.close()
    }
    try await one.importer.applyUpdates(TestSeed.sample().source)
    #expect(try await two.receipt() == one.receipt())
    #expect(try await two.importer.applyUpdates(TestSeed.sample().source).outcome == .unchanged)
    var seed = TestSeed.sample(revision: 2)
    seed.music[0].title = "Other"
    try await two.importer.applyUpdates(seed.source)
    #expect(try await one.receipt() == two.receipt())
  }

  /// An import must not go on with rows that a newer program has rebuilt meanwhile.
  @Test func importOverAProjectionThatBecameStaleIsRefused() async throws {
    try await test.apply(.sample())
    let catalog = try await test.open()
    defer { catalog.close() }
    try append([Self.forest])
    try test.execute("UPDATE projection_checkpoint SET fingerprint = 'newer'")
    let head = try test.head
    await #expect {
      try await catalog.importer.applyUpdates(TestSeed.sample(revision: 2).source)
    } throws: { error in
      (error as? StoreError)?.code == .stale
    }
    #expect(try test.head == head)
  }

  @Test func manyOpenANewCatalogAtOnce() async throws {
    for _ in 0..<5 {
      let test = try ScratchCatalog()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            let catalog = try await test.open()
            try await catalog.importer.importIfNeeded(TestSeed.sample().source)
            catalog.close()
          }
        }
        try await group.waitForAll()
      }
      #expect(try test.rows("SELECT count(*) FROM projection_seed") == ["1"])
      #expect(try test.rows("SELECT count(*) FROM library_item") == ["9"])
    }
  }
}
