import CatalogModel
import CatalogTestSupport
import GRDB
import Projections
import Promises
import SoundLibraryTestSupport
import Synchronization
import Testing

@testable import CatalogStore
@testable import EventLog
@testable import SoundLibrary

/// The index that a process keeps, held against SQL in the same snapshot. (`BrowsingModelTests` holds both
/// against plain arrays.)
@Suite(
  .promise(
    "Lists, counts, facets and searches are the same from the index in memory and from "
      + "SQL, after every commit and rebuild",
    by: "each compared with the other while others write"))
struct CatalogIndexTests {
  private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() {
      value.store(true, ordering: .releasing)
    }
  }

  private static let everything = SoundIndex.Parts(order: .title, words: true)

  /// Another connection of another pool writes and rebuilds; each answer is that of its own snapshot.
  @Test(arguments: Sample.of([1, 2, 3, 4] as [UInt64], atMost: 1, "seeds from 1"))
  func itAnswersAsSQLDoesWhileOthersWriteAndRebuild(seed: UInt64) async throws {
    let folder = try ScratchFolder()
    let growing = try GrowingDatabase(seed: seed, batches: 160, folder)
    _ = try growing.grow(by: 20)
    let reading = try ProjectionDatabase(
      path: folder.file("a.sqlite"), migrations: .soundLibrary)
    let done = Flag()
    let indexes = IndexCache(threshold: 0)
    let readers = (0..<2).map { _ in
      Task.detached {
        let reader = SoundReader(reading, indexes)
        var marks: Set<IndexMark> = []
        while !done.isSet {
          for key in Sort.Key.allCases {
            let parts = SoundIndex.Parts(order: key, words: true)
            let (mark, differences) = try await reader.read(with: parts) { database, index in
              // Nil where a reader of an older snapshot comes late.
              (
                index?.mark,
                try index.map { try IndexCheck.differences(of: $0, in: database) } ?? []
              )
            }
            #expect(differences == [], "seed \(seed), \(mark as Any)")
            if let mark { marks.insert(mark) }
          }
        }
        return marks
      }
    }
    var random = SplitMix(seed: seed)
    while try growing.grow(by: 1 + random.below(3)) {
      if random.below(12) == 0 { try growing.rebuild() }
      await Task.yield()
    }
    var marks: Set<IndexMark> = []
    done.set()
    for reader in readers {
      marks.formUnion(try await reader.value)
    }
    #expect(Set(marks.map(\.checkpoint.sequence)).count > 3)
    #expect(Set(marks.map(\.epoch)).count > 1)
    try reading.close()
    try growing.database.close()
  }

  /// What is carried on is what would be rebuilt, whatever the journal held.
  @Test(arguments: Sample.of([11, 12, 13] as [UInt64], atMost: 1, "seeds from 11"))
  func carryingOnMakesWhatReadingMakes(seed: UInt64) throws {
    let folder = try ScratchFolder()
    let growing = try GrowingDatabase(seed: seed, batches: 120, folder)
    let cache = IndexCache(threshold: 0)
    while try growing.grow(by: 3) {
      try growing.database.pool.read { database in
        for key in Sort.Key.allCases {
          let parts = SoundIndex.Parts(order: key, words: true)
          let carried = try #require(try cache.index(of: database, with: parts))
          #expect(try IndexCheck.differences(of: carried, in: database) == [])
        }
      }
    }
    try growing.database.close()
  }

  /// A repair leaves the checkpoint where it was.
  @Test func aRebuildAtTheSameCheckpointIsNoticed() throws {
    let folder = try ScratchFolder()
    let growing = try GrowingDatabase(seed: 5, batches: 60, folder)
    _ = try growing.grow(by: 60)
    let database = growing.database
    try database.pool.write { database in
      try database.execute(sql: "DELETE FROM projection_tagging; DELETE FROM item_mood")
    }
    let cache = IndexCache(threshold: 0)
    func moods() throws -> Int {
      try database.pool.read { database in
        let index = try #require(try cache.index(of: database, with: .tags))
        let visible = index.taggings.visible[Kind.sfx.place]
        return index.taggings.counts(
          of: Array(0..<UInt32(index.vocabularies.count)), over: visible, visible.count, .sfx
        ).reduce(0) { $0 + Int($1) }
      }
    }
    #expect(try moods() == 0)
    try growing.rebuild()
    #expect(try moods() > 0)
    try database.close()
  }

  @Test func theJournalTellsWhatChangedOrThatItDoesNotKnow() throws {
    let folder = try ScratchFolder()
    let growing = try GrowingDatabase(seed: 6, batches: 320, folder)
    _ = try growing.grow(by: 20)
    let database = growing.database
    func here() throws -> Checkpoint { try #require(try database.checkpoint()) }
    var first = try here()
    var second = first
    // Of several events: a place between two transactions is to be had.
    while second.sequence < first.sequence + 2 {
      first = second
      _ = try growing.grow()
      second = try here()
    }
    #expect(try database.pool.read { try ChangeJournal.read(from: second, to: second, $0) } != nil)
    let known = try database.pool.read { try ChangeJournal.read(from: first, to: second, $0) }
    #expect(known != nil)
    // From a place between two transactions, and from before the first one that is remembered.
    var other = first
    other.head.sequence += 1
    #expect(try database.pool.read { try ChangeJournal.read(from: other, to: second, $0) } == nil)
    // From the same place on another history.
    other = first
    other.head.chain = ChainHash(bytes: Array(repeating: 7, count: 32))
    #expect(try database.pool.read { try ChangeJournal.read(from: other, to: second, $0) } == nil)
    for _ in 0..<270 { _ = try growing.grow() }
    let third = try here()
    #expect(try database.pool.read { try ChangeJournal.read(from: first, to: third, $0) } == nil)
    let rows = try database.pool.read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM projection_change")
    }
    #expect(rows == 256)
    try growing.rebuild()
    let left = try database.pool.read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM projection_change")
    }
    #expect(left == 0)
    try database.close()
  }

  @Test func thereIsNoneBelowTheThresholdAndNoneWhereItIsNotWorthIt() throws {
    let folder = try ScratchFolder()
    let growing = try GrowingDatabase(seed: 7, batches: 40, folder)
    _ = try growing.grow(by: 40)
    try growing.database.pool.read { database in
      let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM projection_item") ?? 0
      let cache = IndexCache(threshold: count)
      #expect(try cache.index(of: database, with: .init(isMade: false)) == nil)
      #expect(try cache.index(of: database, with: .tags) != nil)
      #expect(try cache.index(of: database, with: .init(isMade: false)) != nil)
      #expect(try IndexCache(threshold: count + 1).index(of: database, with: .tags) == nil)
    }
    try growing.database.close()
  }

  @Test func rowsThatNoProjectorWritesAreRefused() throws {
    let folder = try ScratchFolder()
    let growing = try GrowingDatabase(seed: 8, batches: 60, folder)
    _ = try growing.grow(by: 60)
    for sql in [
      "UPDATE projection_tagging SET tags = 'mood=' WHERE item_number = "
        + "(SELECT min(item_number) FROM projection_tagging)",
      "UPDATE projection_tagging SET tags = 'mode=1'",
      "UPDATE projection_tagging SET tags = 'mood=1 '",
      "UPDATE projection_tagging SET tags = 'mood=99999999999999999999'",
      "UPDATE projection_item SET kind = 'noise' WHERE number = 2",
      "UPDATE projection_item SET item_id = 'x' WHERE number = 2",
      "UPDATE projection_item SET number = 999999 WHERE number = 2",
      "UPDATE projection_item SET number = 4000000000000000000 WHERE number = 2",
      "INSERT INTO projection_tagging VALUES (999999, 1, 'mood=1')",
      "INSERT INTO projection_item_text VALUES (-1, 'a', '', '')",
      "INSERT INTO projection_item_text VALUES (999999999, 'zzz', '', '')",
    ] {
      try growing.database.pool.writeWithoutTransaction { database in
        try database.inTransaction {
          try database.execute(sql: sql)
          #expect(throws: StoreError.self, "\(sql)") {
            try IndexCache(threshold: 0).index(of: database, with: Self.everything)
          }
          return .rollback
        }
      }
    }
    try growing.database.close()
  }

  /// A value counts once, however many sources give it: also where nobody took a value from any item.
  @Test(arguments: [21, 22] as [UInt64])
  func whatSeveralSourcesGiveCountsOnce(seed: UInt64) throws {
    var generator = HistoryGenerator(seed: seed)
    let store = MemoryRowStore(schema: SoundLibrarySchema.schema)
    for record in generator.batches(160).joined() {
      switch record.event {
      case .itemTagSuppressed, .itemTagUnsuppressed: continue
      default: try SoundLibraryProjector().applyWithoutConflict(record, to: store)
      }
    }
    let folder = try ScratchFolder()
    let checkpoint = Checkpoint.made()
    try BulkWriter(.soundLibrary).write(store, checkpoint: checkpoint, to: folder.file("a.sqlite"))
    let database = try ProjectionDatabase(path: folder.file("a.sqlite"), migrations: .soundLibrary)
    try database.pool.read { database in
      let given = try Row.fetchAll(
        database, sql: "SELECT item_number, tags FROM projection_tagging")
      var tags: [Int64: [ItemTag]] = [:]
      for row in given { tags[row[0], default: []] += TagList.tags(in: row[1]) ?? [] }
      #expect(tags.values.contains { Set($0).count < $0.count })
      #expect(try IndexCheck.differences(in: database, .whole) == [])
    }
    try database.close()
  }

  /// Words are parted by bytes: a space and a mark behind it are one character to Swift.
  @Test func wordsOfChangedItemsAreFoundAsThoseOfOthers() throws {
    let folder = try ScratchFolder()
    let database = try ProjectionDatabase(path: folder.file("a.sqlite"), migrations: .soundLibrary)
    try database.createTables()
    let titles = [
      "wow 👍🏽", "กิน ข้าว", "Straße", String(repeating: "a", count: 40_000), "sci-fi \"x\"",
    ]
    var sequence: UInt64 = 0
    func apply(_ title: String, _ number: Int) throws {
      sequence += 1
      let item = ItemUpserted(
        id: EntityID(high: 1, low: UInt64(number)), kind: .music, title: title, subtitle: title,
        duration: nil, artworkURL: nil)
      let record = SoundEventRecord(
        sequence: sequence, at: Timestamp(milliseconds: Int64(sequence)),
        operation: EntityID(high: 2, low: sequence), by: "seed:a", event: .itemUpserted(item))
      try database.update { _, store in
        try SoundLibraryProjector().applyWithoutConflict(record, to: store)
        return ProjectionAdvance(
          Checkpoint.made(at: sequence, chain: UInt8(sequence)))
      }
    }
    for number in titles.indices { try apply("before", number) }
    let cache = IndexCache(threshold: 0)
    func questions() -> [String] {
      titles + [
        "👍 wow", "ก น", "ิ", "strasse", String(repeating: "a", count: 33_000), "scifi", "x",
      ]
    }
    for round in 0..<2 {
      try database.pool.read { database in
        let index = try #require(try cache.index(of: database, with: Self.everything))
        let words = try #require(index.words)
        let keys = try #require(index.keys(.title))
        #expect(index.changedWords.count == round * titles.count)
        for question in questions() {
          let search = try ItemSearch(
            SearchQuery(question), ItemQuery(kind: nil, filters: Filters(), in: database),
            ItemList.name(kind: nil, sort: nil, filters: Filters(), query: question), in: database)
          let plain = try search.fetch(database, limit: 9, after: nil)
          let fast = try search.fetch(database, index, words, keys, limit: 9, after: nil)
          #expect(plain == fast, "\(round): \(question.prefix(40))")
          if round == 1, question != titles[3] {
            #expect(plain.total > 0, "\(question.prefix(40))")
          }
        }
      }
      if round == 0 {
        for (number, title) in titles.enumerated() { try apply(title, number) }
      }
    }
    try database.close()
  }

  /// A person who types on ends one question after the other; the index is made all the same.
  @Test func aQuestionThatIsCancelledDoesNotEndTheMakingOfTheIndex() async throws {
    let folder = try ScratchFolder()
    let growing = try GrowingDatabase(seed: 9, batches: 60, folder)
    _ = try growing.grow(by: 60)
    let reading = try ProjectionDatabase(
      path: folder.file("a.sqlite"), migrations: .soundLibrary)
    let indexes = IndexCache(threshold: 0)
    let facets = FacetRepository(SoundReader(reading, indexes))
    let asking = Task { try await facets.facetCounts(kind: .sfx) }
    asking.cancel()
    await #expect(throws: CancellationError.self) { try await asking.value }
    var isMade = false
    while !isMade {
      isMade = !indexes.lacks(.tags)
      await Task.yield()
    }
    #expect(try await facets.facetCounts(kind: .sfx).dimensions.count == 4)
    try reading.close()
    try growing.database.close()
  }
}

extension IndexCache {
  /// For readers that come one after the other; nil if SQL is to answer.
  fileprivate func index(
    of database: Database, with parts: SoundIndex.Parts
  ) throws -> SoundIndex? {
    guard case .answer(let index) = try access(of: database, with: parts) else { return nil }
    return index
  }
}
