import CatalogModel
import Projections
import Promises
import Testing

@testable import SoundLibrary

@Suite(
  .promise("Each event of a sound library changes its rows as the page of the events says"))
struct SoundLibraryProjectorTests {
  private typealias Tables = SoundLibrarySchema
  private let library: Library

  init() throws {
    library = try Library()
  }

  @Test func changedItemKeepsItsBirthAndGetsATime() throws {
    let before = try library.row(Tables.libraryItem, .id(Library.id(1)))
    try library.apply(Library.item(1, .music))
    #expect(try library.row(Tables.libraryItem, .id(Library.id(1))) == before)
    try library.apply(Library.item(1, .music, title: "Other"))
    let after = try #require(try library.row(Tables.libraryItem, .id(Library.id(1))))
    #expect(after[2] == .text("Other"))
    #expect(after[7] == before?[7])
    #expect(after[8] == .time(Library.time(library.sequence)))
    #expect(library.store.count(of: Tables.item) == 4)
  }

  @Test func visibilityThatIsNotNewChangesNoTime() throws {
    let before = try library.row(Tables.libraryItem, .id(Library.id(1)))
    let show = SoundEvent.itemVisibilityChanged(
      ItemVisibilityChanged(id: Library.id(1), isVisible: true))
    try library.apply(show)
    #expect(try library.row(Tables.libraryItem, .id(Library.id(1))) == before)
    try library.apply(
      .itemVisibilityChanged(ItemVisibilityChanged(id: Library.id(1), isVisible: false)))
    let hidden = try #require(try library.row(Tables.libraryItem, .id(Library.id(1))))
    #expect(hidden[6] == .integer(0))
    #expect(hidden[8] == .time(Library.time(library.sequence)))
  }

  @Test func itemsAreNumberedWithoutGaps() throws {
    for number in 1...4 as ClosedRange<Int64> {
      #expect(try library.row(Tables.item, .integer(number)) != nil)
    }
    #expect(library.store.greatestKey(in: Tables.item) == 4)
  }

  @Test func tagsAreTheUnionOfAllSources() throws {
    try library.apply(Library.value("Desert", 2))
    try library.apply(Library.value("Hill", 3))
    let join = Tables.join(of: Library.locations)
    func values() throws -> [Int64] {
      try (1...3).filter { try library.row(join, .id(Library.id(1)), .integer($0)) != nil }
    }
    try library.apply(Library.tags(1, ["Forest", "Desert"], source: "seed:a"))
    try library.apply(Library.tags(1, ["Desert", "Hill"], source: "manifest:b"))
    #expect(try values() == [1, 2, 3])
    try library.apply(Library.tags(1, [], source: "seed:a"))
    #expect(try values() == [2, 3])
    try library.apply(Library.tags(1, ["Hill"], source: "seed:a"))
    try library.apply(Library.tags(1, ["Desert"], source: "manifest:b"))
    #expect(try values() == [2, 3])
    try library.apply(Library.tags(1, [], source: "manifest:b"))
    #expect(try values() == [3])
    #expect(library.store.count(of: Tables.tagging) == 1)
  }

  @Test func anotherPlaylistIsNotSynchronisedYet() throws {
    func reference() throws -> PlaylistReference? {
      try library.store.row(of: PlaylistReference.table, key: Library.id(1))
    }
    var row = try #require(try reference())
    row.lastSyncAt = Timestamp(milliseconds: 5)
    try library.store.put(row, in: PlaylistReference.table)
    try library.apply(
      .playlistLinked(PlaylistLinked(item: Library.id(1), playlistID: "pl.1", useSnapshot: true)))
    let same = try #require(try reference())
    #expect(same.lastSyncAt == Timestamp(milliseconds: 5))
    #expect(same.usesSnapshots)
    try library.apply(Library.playlist(1, "pl.2"))
    #expect(try #require(try reference()).lastSyncAt == nil)
    // The playlist that was left is free.
    try library.apply(Library.playlist(2, "pl.1"))
  }

  @Test func packVersionNeverFallsAndStateIsLeftAlone() throws {
    let rows = library.store
    var state = try #require(try rows.row(of: PackStateRow.table, key: Library.id(50)))
    #expect(state.state == .notDownloaded)
    state.state = .downloaded
    try rows.put(state, in: PackStateRow.table)
    let born = try rows.row(of: PackRow.table, key: Library.id(50))?.createdAt
    try library.apply(Library.pack(50, .sfx, version: 4))
    try library.apply(Library.pack(50, .sfx, version: 2))
    let pack = try #require(try rows.row(of: PackRow.table, key: Library.id(50)))
    #expect(pack.version == 4)
    #expect(pack.createdAt == born)
    #expect(try rows.row(of: PackStateRow.table, key: Library.id(50)) == state)
  }

  @Test func membersAreExactlyThoseOfTheNewestEventInItsOrder() throws {
    func order(_ item: UInt64) throws -> Int64? {
      let key = (Library.id(50), Library.id(item))
      return try library.store.row(of: PackMember.table, key: key.0, key.1)?.sortOrder
    }
    try library.apply(Library.members(50, [11, 12]))
    #expect(try [order(11), order(12)] == [0, 1])
    try library.apply(Library.members(50, [12, 11]))
    #expect(try [order(11), order(12)] == [1, 0])
    try library.apply(Library.members(50, [12]))
    #expect(try [order(11), order(12)] == [nil, 0])
    try library.apply(Library.members(50, []))
    #expect(library.store.count(of: PackMember.table.description) == 0)
  }

  /// The fingerprint is over every byte of the statements that make the tables: where it is another, all databases
  /// that earlier releases made are rebuilt. It may change with `SoundLibraryProjector.version` alone.
  @Test func databasesOfEarlierReleasesAreNotStale() {
    #expect(
      ProjectorFingerprint.soundLibrary.description
        == "d1ccfc59c66418acca3c1331fc1b7acb640705a04bd57747daf419da7758b301")
    #expect(SoundLibraryProjector.version == 7)
  }

  @Test func fingerprintKnowsKindLayoutVersionAndEveryStatement() {
    func make(
      _ kind: String = "k", _ layout: Int64 = 1, _ version: Int = 1,
      nullable: Bool = true, index: TableIndex = .index("i", on: ["b"])
    ) -> ProjectorFingerprint {
      var schema = Schema()
      _ = schema.add(
        "t", columns: [Column("a", .integer), Column("b", .text, nullable: nullable)],
        key: ["a"], indexes: [index])
      return ProjectorFingerprint(kind: kind, layout: layout, version: version, schema: schema)
    }
    let all = [
      make(), make("l"), make("k", 2), make("k", 1, 2), make(nullable: false),
      make(index: .index("j", on: ["b"])), make(index: .index("i", on: [.descending("b")])),
      make(index: .index("i", on: ["b"], unique: true)), make(index: .lookup(["b"])),
    ]
    #expect(Set(all).count == all.count)
    #expect(make() == make())
  }
}
