import CatalogModel
import CatalogStore
import CatalogTestSupport
import EventLog
import Foundation
import Projections
import Promises
import StoreTestSupport
import Testing

@testable import CatalogEngine

@Suite(
  .promise(
    "A crash between log and database costs nothing: the next program that opens the "
      + "catalog applies the events"),
  .promise(
    "If the database is missing, lacks events, or was made by another projector or from "
      + "another log, the error says which, and the log is not changed"),
  .promise("An intact log is not blamed for a checkpoint that was changed"))
struct CatalogOpeningTests {
  private let test: ScratchShelves

  init() throws {
    test = try ScratchShelves()
  }

  private func rebuild() async throws {
    let directory = test.directory
    try await Blocking.run {
      try OpenedCatalog.rebuild(directory, Shelves(), options: OpeningOptions())
    }
  }

  @Test func openCarriesOutWhatACrashLeftInTheLog() async throws {
    try await test.apply()
    try test.append([.shelf("late", true)])
    #expect(try test.rows("SELECT count(*) FROM shelf WHERE name = 'late'") == ["0"])
    let receipt = try await test.receipt()
    #expect(try test.rows("SELECT count(*) FROM shelf WHERE name = 'late'") == ["1"])
    #expect(try receipt.checkpoint.sequence == test.head?.sequence)
  }

  /// An app that opens the catalog to rebuild what was changed by hand gets a rebuilt database.
  @Test func rowsWithoutACheckpointAreRebuilt() async throws {
    try await test.apply()
    let before = try await test.receipt()
    try test.execute("DELETE FROM projection_checkpoint; UPDATE title SET words = 'Mine'")
    await #expect(throws: StoreError.self) { try await test.open { $0.drift = .refuse } }
    try await test.open { $0.drift = .rebuild }.close()
    #expect(try await test.receipt() == before)
    #expect(try test.rows("SELECT count(*) FROM title WHERE words = 'Mine'") == ["0"])
  }

  @Test func openRebuildsAMissingDatabase() async throws {
    try await test.apply()
    try await test.apply(edition: 2)
    let before = try await test.receipt()
    try test.removeDatabase()
    #expect(try await test.receipt() == before)
  }

  @Test func projectionOfAnotherProjectorIsRebuiltOrRefused() async throws {
    try await test.apply()
    let before = try await test.receipt()
    try test.execute(
      "UPDATE projection_checkpoint SET fingerprint = 'old'; DELETE FROM book;")
    await #expect { try await test.open { $0.stale = .refuse } } throws: { error in
      (error as? CatalogError)?.code == .stale
    }
    #expect(try await test.receipt() == before)
  }

  /// A head that the log never had, as that of the checkpoint and of the running digests.
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
    try await test.apply()
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
    try await test.apply()
    let before = try await test.receipt()
    try test.execute(sql)
    let error = await #expect(throws: StoreError.self) { try await test.open() }
    #expect(error?.code == .drifted)
    try await rebuild()
    #expect(try await test.receipt() == before)
    try test.execute(sql)
    let catalog = try await test.open { $0.drift = .rebuild }
    catalog.close()
    #expect(try await test.receipt() == before)
  }

  @Test func projectionWithoutItsLogIsRefused() async throws {
    try await test.apply()
    try FileManager.default.removeItem(atPath: test.directory.events)
    await #expect { try await test.open() } throws: { error in
      (error as? EventLogError)?.code == .lostEvents
    }
  }

  /// A log that goes while the catalog is open is lost, not empty.
  @Test func aLogThatIsRemovedFromAnOpenCatalogIsLost() async throws {
    try await test.apply()
    let catalog = try await test.open()
    defer { catalog.close() }
    try FileManager.default.removeItem(atPath: test.directory.events)
    let error = #expect(throws: EventLogError.self) {
      try catalog.changeNow(by: "test") { _ in [] }
    }
    #expect(error?.code == .lostEvents)
    #expect(error?.description.contains("there is no event log in") == true)
  }

  /// A catalog in the folder of a log, however deep, would be damage of that log.
  @Test(arguments: ["inner", "deep/inner", "deep/er/inner"])
  func aCatalogIsNotCreatedInALog(_ name: String) async throws {
    try await test.apply()
    let place = "\(test.directory.events)/\(name)"
    let before = try ScratchFolder.contents(test.directory.events)
    for makesFolder in [false, true] {
      if makesFolder {
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      }
      let error = await #expect(throws: CatalogError.self) {
        let inner = try await EventCatalog.open(CatalogDirectory(place), Shelves())
        defer { inner.close() }
        try await inner.apply(edition: 1)
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
    try await test.apply()
    let other = try ScratchShelves()
    let catalog = try await other.open { $0.newLogID = { LogID(bytes: Array(17...32)) } }
    try await catalog.apply(edition: 1)
    catalog.close()
    try FileManager.default.removeItem(atPath: test.directory.events)
    try FileManager.default.copyItem(atPath: other.directory.events, toPath: test.directory.events)
    if isStale { try test.execute("UPDATE projection_checkpoint SET fingerprint = 'old'") }
    await #expect { try await test.open() } throws: { error in
      (error as? EventLogError)?.code == .lostEvents
    }
  }

  @Test func tablesThatAnOlderProjectorNeverFilledMakeRoom() async throws {
    try await test.open().close()
    try test.execute("UPDATE grdb_migrations SET identifier = 'projection old'")
    #expect(try await test.apply() == .applied)
  }

  @Test func twoCatalogsOfOneFolderSeeEachOther() async throws {
    let one = try await test.open()
    let two = try await test.open()
    defer {
      one.close()
      two.close()
    }
    try await one.apply(edition: 1)
    #expect(try await two.opened.receipt() == one.opened.receipt())
    #expect(try await two.apply(edition: 1) == .unchanged)
    try await two.apply(edition: 2)
    #expect(try await one.opened.receipt() == two.opened.receipt())
  }

  /// A change must not go on with rows that a newer program has rebuilt meanwhile.
  @Test func aChangeOverAProjectionThatBecameStaleIsRefused() async throws {
    try await test.apply()
    let catalog = try await test.open()
    defer { catalog.close() }
    try test.append([.shelf("late", true)])
    try test.execute("UPDATE projection_checkpoint SET fingerprint = 'newer'")
    let head = try test.head
    await #expect {
      try await catalog.apply(edition: 2)
    } throws: { error in
      (error as? StoreError)?.code == .stale
    }
    #expect(try test.head == head)
  }

  @Test func manyOpenANewCatalogAtOnce() async throws {
    for _ in 0..<5 {
      let test = try ScratchShelves()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            let catalog = try await test.open()
            try await catalog.apply(edition: 1)
            catalog.close()
          }
        }
        try await group.waitForAll()
      }
      // Event 1, and what one of them appended.
      let events = EventCatalog<Shelves>.events(edition: 1)
      #expect(try test.head?.sequence == UInt64(events.count) + 1)
      #expect(try test.rows("SELECT count(*) FROM book") == ["12"])
    }
  }
}
