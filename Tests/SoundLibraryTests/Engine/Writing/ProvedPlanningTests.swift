import CatalogModel
import CatalogStore
import EventLog
import Foundation
import GRDB
import Promises
import StoreTestSupport
import Testing

@testable import CatalogEngine
@testable import SoundLibrary

/// Nothing that somebody changed in the database gets into the log.
@Suite(
  .promise(
    "Nothing that another hand changes in the database gets into the log",
    by: "on a real kind"),
  .promise(
    "What was appended is reported as appended, whether the database has it yet or not",
    by: "a locked database, on a real kind"))
struct ProvedPlanningTests {
  private let test: ScratchCatalog

  init() throws {
    test = try ScratchCatalog()
  }

  private func open() async throws -> SoundLibrary {
    try await test.open { $0.drift = .refuse }
  }

  private static let poison = "UPDATE mood SET name = 'Adventure' WHERE name = 'Cozy'"
  private static let item = TestSeed.id(101)

  /// The example that began it: a value is renamed by hand, and the next change adds its name anew.
  @Test func aChangeOfTagsOnChangedNamesIsRefused() async throws {
    try await test.apply(.sample())
    let log = try test.logFiles
    try test.execute(Self.poison)
    let catalog = try await open()
    let item = try #require(UUID(uuidString: Self.item))
    let moods = try #require(TagDimension.named("moods"))
    let error = await #expect(throws: StoreError.self) {
      try await catalog.tags.add([TagName(moods, "Cozy")], to: item)
    }
    #expect(error?.code == .drifted)
    #expect(error?.message.contains("mood") == true)
    catalog.close()
    #expect(try test.logFiles == log)
  }

  @Test func anImportOnChangedRowsIsRefusedWhole() async throws {
    try await test.apply(.sample())
    let log = try test.logFiles
    try test.execute(Self.poison)
    let catalog = try await open()
    let error = await #expect(throws: StoreError.self) {
      try await catalog.importer.applyUpdates(TestSeed.sample(revision: 2).source)
    }
    #expect(error?.code == .drifted)
    catalog.close()
    #expect(try test.logFiles == log)
  }

  /// A seed that somebody wrote into the database was not imported, and one that was deleted there was.
  @Test(arguments: [
    "UPDATE projection_seed SET revision = 7", "UPDATE projection_seed SET seed_id = 'other'",
    "DELETE FROM projection_seed",
  ])
  func aFirstLaunchBelievesNoSeedThatWasChanged(sql: String) async throws {
    try await test.apply(.sample())
    let log = try test.logFiles
    try test.execute(sql)
    let catalog = try await open()
    let error = await #expect(throws: StoreError.self) {
      try await catalog.importer.importIfNeeded(TestSeed.sample().source)
    }
    #expect(error?.code == .drifted)
    catalog.close()
    #expect(try test.logFiles == log)
  }

  /// A catalog whose database another program locks after the opening and before anything is appended.
  private func openLocked(by lock: LockedDatabase) async throws -> SoundLibrary {
    try await test.open { options in
      options.clock = CatalogClock {
        lock.take()
        return Timestamp(milliseconds: 1_767_225_600_000)
      }
    }
  }

  /// What is in the log is not taken back because the database could not follow.
  @Test func anImportThatTheDatabaseCannotFollowSaysSo() async throws {
    // So many events that they are rehearsed in memory, and the database is replaced after the append.
    var large = TestSeed.sample(revision: 2)
    large.packs[0].items += (0..<10_000).map {
      TestSeed.Item(id: TestSeed.id(10_000 + $0), title: "Sound \($0)", tags: [:])
    }
    try await test.apply(.sample())
    let lock = LockedDatabase(test.directory.database)
    let catalog = try await openLocked(by: lock)
    let report = try await catalog.importer.applyUpdates(large.source)
    #expect(report.outcome == .appended)
    #expect(report.failure?.contains("locked") == true)
    #expect(try test.head?.sequence == report.sequence)
    lock.release()
    catalog.close()
    let again = try await test.apply(large)
    #expect(again.outcome == .unchanged)
    #expect(again.sequence == report.sequence)
  }

  @Test func anImportThatCannotBeRehearsedAppendsNothing() async throws {
    try await test.apply(.sample())
    let head = try test.head
    let lock = LockedDatabase(test.directory.database)
    let catalog = try await openLocked(by: lock)
    let error = await #expect(throws: StoreError.self) {
      try await catalog.importer.applyUpdates(TestSeed.sample(revision: 2).source)
    }
    #expect(error?.code == .busy)
    #expect(try test.head == head)
    lock.release()
    catalog.close()
    #expect(try await test.apply(.sample(revision: 2)).outcome == .imported)
  }
}

/// Another program that has begun to write a database, and does not come to an end.
private final class LockedDatabase: @unchecked Sendable {
  private let queue: DatabaseQueue?

  /// `@unchecked Sendable`: the queue serialises what is done with it.
  init(_ path: String) {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    queue = try? DatabaseQueue(path: path, configuration: configuration)
  }

  func take() {
    queue?.unsafeReentrantWrite { database in
      if !database.isInsideTransaction { try? database.beginTransaction(.immediate) }
    }
  }

  func release() {
    queue?.unsafeReentrantWrite { try? $0.rollback() }
    try? queue?.close()
  }
}
