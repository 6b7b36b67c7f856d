import CatalogModel
import CatalogTestSupport
import GRDB
import Promises
import Testing

@testable import CatalogStore
@testable import SoundLibrary

/// Rows that no projector writes are told, from an index and from SQL alone, and not left out.
@Suite(
  .promise(
    "A row that no projector writes is reported when a page or a facet reads it, from the "
      + "index and from SQL"))
struct ChangedByHandTests {
  /// A name that is gone from its vocabulary where items still carry it.
  @Test(arguments: FacetMode.allCases, [false, true])
  func aNameThatIsGoneFromTheVocabularyIsTold(mode: FacetMode, includesZero: Bool) throws {
    let folder = try ScratchFolder()
    let growing = try GrowingDatabase(seed: 6, batches: 160, folder)
    _ = try growing.grow(by: 160)
    let (mood, kept) = try growing.database.pool.writeWithoutTransaction { database in
      let both = try #require(
        try Row.fetchOne(
          database,
          sql: """
            SELECT mood_id, location_id FROM library_item JOIN item_mood ON item_mood.item_id = id
            JOIN item_location ON item_location.item_id = id WHERE kind = 'sfx' AND is_visible = 1
            GROUP BY 1, 2 ORDER BY count(*) DESC, 1, 2
            """))
      let gone: Int64 = both[1]
      try database.execute(sql: "PRAGMA foreign_keys = OFF")
      try database.execute(sql: "DELETE FROM location WHERE id = ?", arguments: [gone])
      let kept = try Int64.fetchOne(database, sql: "SELECT min(id) FROM location")
      return (both[0] as Int64, try #require(kept))
    }
    try growing.database.pool.read { database in
      let filters = Filters(locationIDs: mode == .disjunctive ? [kept] : [], moodIDs: [mood])
      let query = try ItemQuery(kind: .sfx, filters: filters, in: database)
      let facets = FacetQuery(query: query, kind: .sfx, mode: mode, includesZero: includesZero)
      let mark = try #require(try IndexMark.read(database))
      let index = try SoundIndex(mark, database)
      let selection = ItemSelection(query, index)
      let plain = #expect(throws: StoreError.self) { try facets.fetch(database) }
      let fast = #expect(throws: StoreError.self) {
        try facets.fetch(selection, selection.items(), index)
      }
      #expect(plain?.code == .drifted)
      #expect(plain?.message == fast?.message)
    }
    try growing.database.close()
  }

  /// An item whose row is gone, on its page.
  @Test func aRowThatIsGoneIsTold() throws {
    let folder = try ScratchFolder()
    let growing = try GrowingDatabase(seed: 6, batches: 60, folder)
    _ = try growing.grow(by: 60)
    try growing.database.pool.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          PRAGMA foreign_keys = OFF;
          DELETE FROM library_item WHERE id = (
            SELECT item_id FROM projection_item JOIN projection_item_text USING (number)
            WHERE kind = 'sfx' AND is_visible = 1 ORDER BY title, item_id LIMIT 1 OFFSET 1)
          """)
    }
    try growing.database.pool.read { database in
      let error = #expect(throws: StoreError.self) { try pageFromIndex(sfx(database), database) }
      #expect(error?.message == StoreError.changedByHand("library_item").message)
    }
    try growing.database.close()
  }

  /// A duration that is no number: SQLite keeps any text that it cannot make one of.
  @Test func aDurationThatIsNoNumberIsTold() throws {
    let folder = try ScratchFolder()
    let growing = try GrowingDatabase(seed: 6, batches: 60, folder)
    _ = try growing.grow(by: 60)
    try growing.database.pool.write { database in
      try database.execute(sql: "UPDATE library_item SET duration = 'long'")
    }
    try growing.database.pool.read { database in
      let list = try sfx(database)
      let plain = #expect(throws: StoreError.self) {
        try list.fetch(database, limit: 2, after: nil)
      }
      let fast = #expect(throws: StoreError.self) { try pageFromIndex(list, database) }
      #expect([plain?.code, fast?.code] == [.drifted, .drifted])
    }
    try growing.database.close()
  }

  /// All effects, by title.
  private func sfx(_ database: Database) throws -> ItemList {
    ItemList(
      query: try ItemQuery(kind: .sfx, filters: Filters(), in: database), sort: .title,
      name: ItemList.name(kind: .sfx, sort: .title, filters: Filters(), query: nil))
  }

  private func pageFromIndex(_ list: ItemList, _ database: Database) throws {
    var index = try SoundIndex(try #require(try IndexMark.read(database)), database)
    try index.make(SoundIndex.Parts(order: .title), database)
    let found = ItemSelection(list.query, index).items()
    _ = try list.fetch(found, index, database, limit: 2, after: nil)
  }

  /// There is no checkpoint before the tables are made; one that cannot be read is not taken for none.
  @Test func aCheckpointThatCannotBeReadIsNotTakenForNone() throws {
    let queue = try DatabaseQueue()
    try queue.write { database in
      #expect(try Checkpoint.read(database) == nil)
      try database.execute(sql: "CREATE TABLE projection_checkpoint (id INTEGER PRIMARY KEY)")
      #expect(throws: DatabaseError.self) { try Checkpoint.read(database) }
    }
  }
}
