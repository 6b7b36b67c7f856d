import CatalogTestSupport
import Foundation
import GRDB
import Projections
import Promises
import Synchronization
import Testing

@testable import CatalogStore
@testable import SoundLibrary

/// What waits lets others go on: for an index that is being made, and for a look at the file.
@Suite(
  .promise(
    "A caller that waits for an index, or for a change of the database, keeps no other "
      + "reader waiting"),
  .timeLimit(.minutes(5)))
struct StarvationTests {
  /// Holds every statement that has a text in it until it is opened.
  private final class Barrier: Sendable {
    private let isOpen = Mutex(false)
    private let held = Mutex(0)
    private let text: String

    init(holding text: String) {
      self.text = text
    }

    var isHolding: Bool { held.withLock { $0 > 0 } }

    func open() { isOpen.withLock { $0 = true } }

    /// For three minutes at most, so that a test that fails also ends.
    func pass(_ sql: String) {
      guard sql.contains(text) else { return }
      held.withLock { $0 += 1 }
      let end = Date().addingTimeInterval(180)
      while !isOpen.withLock({ $0 }), Date() < end { usleep(1_000) }
      held.withLock { $0 -= 1 }
    }

    var configuration: Configuration {
      var configuration = Configuration()
      configuration.readonly = true
      configuration.prepareDatabase { database in
        database.trace { event in
          if case .statement(let statement) = event { self.pass(statement.sql) }
        }
      }
      return configuration
    }
  }

  private final class Flag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock { $0 } }

    func set() { value.withLock { $0 = true } }
  }

  /// What some work gives; nil if it never ends. Beside other tests on a busy machine its task may not begin for a
  /// minute.
  private func within<Result: Sendable>(
    _ time: Duration, _ work: @escaping @Sendable () async throws -> Result
  ) async throws -> Result? {
    try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask { try await work() }
      group.addTask {
        try await Task.sleep(for: time)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }

  @Test func anIndexThatIsBeingMadeKeepsNobodyFromReading() async throws {
    let folder = try ScratchFolder()
    let growing = try GrowingDatabase(seed: 9, batches: 60, folder)
    _ = try growing.grow(by: 60)
    let path = folder.file("a.sqlite")
    let barrier = Barrier(holding: "projection_tagging")
    var configuration = barrier.configuration
    configuration.maximumReaderCount = 3
    let pool = try DatabasePool(path: path, configuration: configuration)
    let cache = IndexCache(threshold: 0)
    let reader = try SoundReader(
      ProjectionDatabase(path: path, migrations: .soundLibrary) {
        ProjectionConnections(path, .soundLibrary, .pool(pool))
      },
      cache)
    let asking = (0..<12).map { _ in
      Task { try await reader.read(with: .tags) { _, index in index != nil } }
    }
    try await Wait.until("an index") { barrier.isHolding }
    // One makes the index, the others wait for it.
    try await Wait.until("all others") { cache.waitingCount >= asking.count - 1 }
    let items = try await within(.seconds(300)) {
      try await reader.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM library_item") }
    }
    #expect(items != nil, "who wants no index waits for it")
    // One that is cancelled ends while the others wait.
    asking[11].cancel()
    let ended: Bool? = try await within(.seconds(300)) {
      _ = await asking[11].result
      return true
    }
    #expect(ended != nil)
    barrier.open()
    for task in asking.dropLast() { #expect(try await task.value) }
    try pool.close()
    try growing.database.close()
  }

  @Test func observersHoldNoThreadsOfTasks() async throws {
    let folder = try ScratchFolder()
    let growing = try GrowingDatabase(seed: 9, batches: 20, folder)
    _ = try growing.grow(by: 20)
    let path = folder.file("a.sqlite")
    let barrier = Barrier(holding: "data_version")
    let identity = try #require(FileIdentity(path))
    let changes = DatabaseChanges(path, identity, configuration: barrier.configuration)
    // A thread of its own looks: were the threads of tasks all held, no task could.
    let isFree = Flag()
    let observers = (0..<64).map { _ in Task { try await changes.generation() } }
    while !barrier.isHolding { usleep(5_000) }
    Task.detached { isFree.set() }
    let end = Date().addingTimeInterval(300)
    while !isFree.isSet, Date() < end { usleep(1_000) }
    let wasFree = isFree.isSet
    #expect(wasFree, "observers hold all threads of tasks")
    barrier.open()
    for observer in observers { #expect(try await observer.value == 1) }
    try changes.close()
    await #expect(throws: StoreError.self) { try await changes.generation() }
    try growing.database.close()
  }
}
