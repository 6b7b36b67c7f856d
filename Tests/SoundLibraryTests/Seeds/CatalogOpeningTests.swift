import CatalogModel
import CatalogStore
import EventLog
import Promises
import StoreTestSupport
import Testing

@testable import SoundLibrary

@Suite(
  .promise(
    "A crash between log and database costs nothing: the next program that opens the "
      + "catalog applies the events",
    by: "a revision of a seed, rows that another program rebuilt"))
struct CatalogOpeningTests {
  private let test: ScratchCatalog

  init() throws {
    test = try ScratchCatalog()
  }

  /// Appends events to the log and not to the database, as a crash would.
  private func append(_ events: [SoundEvent]) throws {
    let writer = try EventLogWriter(directory: test.directory.events, holder: "test")
    defer { writer.close() }
    var batch = try writer.makeBatch(expecting: writer.head)
    for (index, event) in events.enumerated() {
      let line = EventEncoder().encode(
        SoundEventRecord(
          sequence: writer.head.sequence + UInt64(index) + 1, at: Timestamp(milliseconds: 0),
          operation: EntityID(high: 1, low: 2), by: "cli", event: event))
      try line.withUnsafeBytes { try batch.append(line: $0) }
    }
    _ = try writer.append(batch)
  }

  private static let forest = SoundEvent.dimensionValueAdded(
    DimensionValueAdded(
      dimension: TagDimension.all[1], id: 90, name: "Late", sortOrder: nil, isSystem: false))

  /// `importIfNeeded` looks at the log, not only at a projection that lacks its last events.
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
}
