import CatalogModel
import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import SoundLibrary

/// An app that shows a catalog while other processes change it.
@Suite(
  .promise(
    "An app sees what other processes change, once, and gets an error if its database was "
      + "deleted or rebuilt by another projector"))
struct ObservationTests {
  /// The next element, or nil if none comes within a time: far above the half second that
  /// is promised, for a machine that is busy with other tests.
  private func next<Element: Sendable>(
    _ iterator: inout CatalogObservation<Element>.Iterator, within time: Duration = .seconds(60)
  ) async throws -> Element? {
    let box = Box(iterator)
    let element = try await withThrowingTaskGroup(of: Element?.self) { group in
      group.addTask { try await box.next() }
      group.addTask {
        try await Task.sleep(for: time)
        return nil
      }
      let first = try await group.next() ?? nil
      group.cancelAll()
      return first
    }
    iterator = await box.iterator
    return element
  }

  private actor Box<Element: Equatable & Sendable> {
    var iterator: CatalogObservation<Element>.Iterator

    init(_ iterator: CatalogObservation<Element>.Iterator) {
      self.iterator = iterator
    }

    func next() async throws -> Element? {
      var copy = iterator
      let element = try await copy.next()
      iterator = copy
      return element
    }
  }

  private func open(_ catalog: TestCatalog) async throws -> SoundLibrary {
    try await SoundLibrary.open(CatalogDirectory(catalog.path))
  }

  @Test func changesOfAnotherProcessAreSeen() async throws {
    let catalog = try await TestCatalog.imported()
    let library = try await open(catalog)
    defer { library.close() }
    var items = library.library.observeItems(kind: .atmosphere).makeAsyncIterator()
    var facets = library.facets.observeFacets(kind: .sfx).makeAsyncIterator()
    #expect(try await next(&items)?.count == 8)
    #expect(try await next(&facets)?.availability.map(\.count) == [8])

    let seed = try catalog.folder.write(SampleSeed.text(revision: 2), to: "second.json")
    let imported = try await catalog.program("import", seed)
    #expect(imported.status == 0)
    #expect(try await next(&items)?.count == 7)
    #expect(try await next(&facets)?.availability.map(\.count) == [9])
  }

  @Test func aRebuildByAnotherProcessThatChangesNothingIsNotTold() async throws {
    let catalog = try await TestCatalog.imported()
    let library = try await open(catalog)
    defer { library.close() }
    var items = library.library.observeItems(kind: .sfx).makeAsyncIterator()
    #expect(try await next(&items)?.count == 8)
    #expect(try await catalog.program("rebuild").status == 0)
    #expect(try await next(&items, within: .seconds(1)) == nil)
    // And what the rebuild repairs is.
    try await catalog.sqlite("UPDATE library_item SET title = 'Oops' WHERE kind = 'sfx'")
    #expect(try await next(&items)?.first?.title == "Oops")
    #expect(try await catalog.program("rebuild").status == 0)
    #expect(try await next(&items)?.first?.title == "Sound 201")
  }

  @Test func changesOfThisProcessAreSeenWithoutRepeats() async throws {
    let catalog = try await TestCatalog.imported()
    let library = try await open(catalog)
    defer { library.close() }
    let item = try #require(UUID(uuidString: SampleSeed.id(201)))
    var details = library.library.observeItemDetail(itemId: item).makeAsyncIterator()
    var packs = library.packs.observePacks(kind: .sfx).makeAsyncIterator()
    var music = library.music.observeMusicEntries().makeAsyncIterator()
    _ = try await next(&details)
    #expect(try await next(&packs)?.count == 1)
    #expect(try await next(&music)?.count == 4)
    try await library.tags.add([TagName(.moods, "Cozy")], to: item)
    #expect(
      try await next(&details)?.dimensions[1].tags.map(\.value.name) == ["Cozy", "Ominous"])
    // A tag of an item is no news of packs and music.
    #expect(try await next(&packs, within: .seconds(1)) == nil)
    #expect(try await next(&music, within: .milliseconds(300)) == nil)
  }

  @Test func manyChangesAreSeenWithinHalfASecondAndTheLastOneIsTheTruth() async throws {
    let catalog = try await TestCatalog.imported()
    let library = try await open(catalog)
    defer { library.close() }
    let item = try #require(UUID(uuidString: SampleSeed.id(201)))
    let watcher = Task {
      var seen: [Int] = []
      for try await detail in library.library.observeItemDetail(itemId: item) {
        seen.append(detail.dimensions[1].tags.count)
        if detail.dimensions[1].tags.count == 21 { break }
      }
      return seen
    }
    for number in 1...20 {
      try await library.tags.add([TagName(.moods, "Mood \(number)")], to: item)
    }
    let seen = try await watcher.value
    #expect(seen.last == 21)
    #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 }, "\(seen)")
  }

  @Test func itEndsWhenCancelled() async throws {
    let catalog = try await TestCatalog.imported()
    let library = try await open(catalog)
    defer { library.close() }
    let (values, isSeen) = AsyncStream.makeStream(of: Int.self)
    let task = Task {
      var count = 0
      for try await items in library.library.observeItems(kind: .sfx) {
        count += 1
        isSeen.yield(items.count)
      }
      return count
    }
    // It has the first value, and waits for a change.
    for await _ in values { break }
    task.cancel()
    #expect(try await task.value == 1)
  }

  @Test func aClosedCatalogAndOneOfAnotherProjectorAreSaid() async throws {
    let catalog = try await TestCatalog.imported()
    let library = try await open(catalog)
    var items = library.library.observeItems(kind: .sfx).makeAsyncIterator()
    #expect(try await next(&items)?.count == 8)
    try await catalog.sqlite("UPDATE projection_checkpoint SET fingerprint = 'another'")
    let stale = await #expect(throws: StoreError.self) { _ = try await items.next() }
    #expect(stale?.code == .stale)
    library.close()
    let closed = await #expect(throws: StoreError.self) { _ = try await items.next() }
    #expect(closed?.code == .closed)
    let read = await #expect(throws: StoreError.self) {
      _ = try await library.music.listMusicEntries()
    }
    #expect(read?.code == .closed)
    let item = try #require(UUID(uuidString: SampleSeed.id(201)))
    let written = await #expect(throws: StoreError.self) {
      _ = try await library.tags.add([TagName(.moods, "Cozy")], to: item)
    }
    #expect(written?.code == .closed)
  }

  @Test func aDatabaseThatWasDeletedUnderTheAppIsSaid() async throws {
    let catalog = try await TestCatalog.imported()
    let library = try await open(catalog)
    defer { library.close() }
    var items = library.library.observeItems(kind: .sfx).makeAsyncIterator()
    #expect(try await next(&items)?.count == 8)
    let head = try await catalog.head()
    let rebuilt = try await Program.shell(
      "rm \(catalog.database)* && \(Program.catalogctl) rebuild --catalog \(catalog.path)")
    #expect(rebuilt.status == 0)
    func replaced(_ body: () async throws -> Void) async {
      let error = await #expect(throws: StoreError.self) { try await body() }
      #expect(error?.code == .replaced)
    }
    await replaced { _ = try await items.next() }
    await replaced { _ = try await library.library.fetchItems(kind: .sfx) }
    var late = library.packs.observePacks(kind: .sfx).makeAsyncIterator()
    await replaced { _ = try await late.next() }
    // Nothing is appended that this process could not apply.
    let item = try #require(UUID(uuidString: SampleSeed.id(201)))
    await replaced { _ = try await library.tags.add([TagName(.moods, "Cozy")], to: item) }
    #expect(try await catalog.head() == head)
  }

  @Test func whatCannotBeReadIsThrown() async throws {
    let catalog = try await TestCatalog.imported()
    let library = try await open(catalog)
    defer { library.close() }
    var wrong = library.library.observeItems(kind: .sfx, filters: Filters(moodIDs: [9_999]))
      .makeAsyncIterator()
    let error = await #expect(throws: StoreError.self) { _ = try await wrong.next() }
    #expect(error?.code == .unknownValue)
  }
}
