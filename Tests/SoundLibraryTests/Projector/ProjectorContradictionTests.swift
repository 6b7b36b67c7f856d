import CatalogModel
import Projections
import Promises
import Testing

@testable import SoundLibrary

/// An event that contradicts the rows before it changes nothing, and says why.
@Suite(
  .promise(
    "A projector changes nothing for an event that contradicts the rows before it, and "
      + "says why"))
struct ProjectorContradictionTests {
  struct Case: CustomTestStringConvertible {
    let name: String
    let words: String
    let event: SoundEvent

    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(
      name: "created twice", words: "created once",
      event: .catalogCreated(
        CatalogCreated(kind: "sound-library", layout: 1, logID: Library.id(0)))),
    Case(
      name: "name under another id", words: "\"Forest\" already",
      event: Library.value("Forest", 2)),
    Case(name: "id of another name", words: "id 1 of", event: Library.value("Desert", 1)),
    Case(
      name: "ordered under another name", words: "no value \"Desert\"",
      event: .dimensionValueOrdered(
        DimensionValueOrdered(
          dimension: Library.locations, id: 1, name: "Desert", sortOrder: 1))),
    Case(
      name: "ordered but never added", words: "no value",
      event: .dimensionValueOrdered(
        DimensionValueOrdered(
          dimension: Library.locations, id: 9, name: "Forest", sortOrder: 1))),
    Case(name: "another kind", words: "cannot become sfx", event: Library.item(1, .sfx)),
    Case(
      name: "visibility of nothing", words: "no item",
      event: .itemVisibilityChanged(
        ItemVisibilityChanged(id: Library.id(99), isVisible: false))),
    Case(
      name: "tags of nothing", words: "no item", event: Library.tags(99, ["Forest"])),
    Case(
      name: "tag that was not added", words: "no value \"Desert\"",
      event: Library.tags(1, ["Desert"])),
    Case(
      name: "dimension that the kind lacks", words: "has no creatureTypes",
      event: Library.tags(1, ["Ooze"], of: Library.creatures)),
    Case(
      name: "playlist of another item", words: "belongs to another",
      event: Library.playlist(2, "pl.1")),
    Case(
      name: "playlist of a sound", words: "not of kind music",
      event: Library.playlist(11, "pl.9")),
    Case(
      name: "playlist of nothing", words: "no item", event: Library.playlist(99, "pl.9")),
    Case(
      name: "pack of another kind", words: "cannot become atmosphere",
      event: Library.pack(50, .atmosphere)),
    Case(name: "members of nothing", words: "no pack", event: Library.members(51, [])),
    Case(name: "member of another kind", words: "not of kind sfx", event: Library.members(50, [1])),
    Case(name: "member that is nothing", words: "no item", event: Library.members(50, [99])),
    Case(name: "member twice", words: "named twice", event: Library.members(50, [11, 12, 11])),
  ]

  /// What no document may hold. A log that was written by hand may.
  static let excesses: [Case] =
    [
      Case(
        name: "id that nothing can follow", words: "id is 9223372036854775807",
        event: Library.value("Cave", .max)),
      Case(
        name: "version below zero", words: "version is -1",
        event: Library.pack(60, .sfx, version: -1)),
      Case(
        name: "title of a megabyte", words: "title has 1048576 bytes",
        event: Library.item(13, .sfx, title: String(repeating: "x", count: 1 << 20))),
      Case(
        name: "bytes below zero", words: "bytesDownloaded is -1",
        event: .packDownloadProgressed(
          PackDownloadProgressed(pack: Library.id(50), bytesDownloaded: -1))),
      Case(
        name: "revision below zero", words: "revision is -1",
        event: .seedImported(
          SeedImported(
            seed: "test", revision: -1, sha256: "",
            counts: .init(values: 0, music: 0, packs: 0, packItems: 0)))),
      // A list may name its base twice: some thirty small events would double one track to a thousand million.
      Case(
        name: "list of a hundred thousand and one tracks", words: "count is 100001",
        event: .playlistTracksSnapshotted(
          PlaylistTracksSnapshotted(
            item: Library.id(1), playlistID: "pl.1", storefront: "us", base: nil, count: 100_001,
            runs: [.new(Array(repeating: "t", count: 100_001))], tracks: []))),
      Case(
        name: "list of one track in a thousand and one places",
        words: "1001 places for 1 tracks", event: Library.list(1_001, ofTracks: 1)),
      Case(
        name: "list of more than ten places for each track",
        words: "2001 places for 200 tracks", event: Library.list(2_001, ofTracks: 200)),
    ]
    + ["../catalog.sqlite", "/etc/passwd", "AudioAssets/../../x", "AudioAssets//x", "a/./b", ""].map
  {
    path in
    Case(
      name: "path \"\(path)\"", words: "leads out of the catalog's folder",
      event: .packDownloadCompleted(
        PackDownloadCompleted(
          pack: Library.id(50), version: 1, bytesTotal: 1,
          assets: [
            PackDownloadCompleted.Asset(
              asset: Library.id(70), item: Library.id(11), url: "", path: path, etag: nil,
              sha256: "", bytes: 1, codec: "aac", sampleRate: nil, channels: nil, isLoopable: false)
          ])))
  }

  @Test(arguments: cases + excesses)
  func changesNothingAndSaysWhy(example: Case) throws {
    let library = try Library()
    let before = library.rows()
    let conflict = try #require(try library.apply(example.event))
    #expect(conflict.message.contains(example.words), "\(conflict)")
    #expect(conflict.sequence == library.sequence)
    #expect(conflict.type == example.event.type)
    #expect(library.rows() == before)
  }

  /// Documents of earlier releases could hold any number of 64 bits: the events that they made keep their rows, and
  /// none such is written today.
  @Test(arguments: [1 << 53, .max] as [Int64])
  func aNumberThatAnEarlierReleaseTookKeepsItsRows(number: Int64) throws {
    let events: [(SoundEvent, String)] = [
      (Library.pack(60, .sfx, version: number), "version"),
      (
        .seedImported(
          SeedImported(
            seed: "test", revision: number, sha256: "",
            counts: .init(values: 0, music: 0, packs: 0, packItems: 0))), "revision"
      ),
      (
        .manifestApplied(
          ManifestApplied(
            pack: Library.id(50), version: number, sha256: "", totalBytes: 1, assets: 1,
            tags: TagSet())), "version"
      ),
      (
        .packDownloadStarted(
          PackDownloadStarted(
            pack: Library.id(50), version: 1, bytesTotal: number, bytesDownloaded: 0)),
        "bytesTotal"
      ),
    ]
    for (event, key) in events {
      let library = try Library()
      let before = library.rows()
      #expect(try library.apply(event) == nil)
      #expect(library.rows() != before)
      let record = library.record(event)
      #expect(record.excess == nil)
      #expect(record.unwritable?.contains("\(key) is \(number)") == true)
    }
    let greatest = Library.pack(60, .sfx, version: NumberRules.greatest)
    #expect(try Library().record(greatest).unwritable == nil)
  }

  @Test(arguments: [(1_000, 1), (2_000, 200), (100_000, 10_000), (1, 1)])
  func aListMayRepeatItsTracks(places: Int, tracks: Int) throws {
    let library = try Library()
    #expect(try library.apply(Library.list(places, ofTracks: tracks)) == nil)
    #expect(library.store.count(of: PlaylistPlace.table.description) == places)
  }

  /// Who rehearses events wants an error.
  @Test func aRehearsalThrows() throws {
    let library = try Library()
    let error = #expect(throws: ProjectionError.self) {
      try SoundLibraryProjector().applyWithoutConflict(
        library.record(Library.members(51, [])), to: library.store)
    }
    #expect(error?.code == .contradiction)
  }

  @Test(arguments: [("concert-archive", 1), ("sound-library", 2)] as [(String, Int64)])
  func otherKindsAndLayoutsAreRefused(kind: String, layout: Int64) throws {
    let store = MemoryRowStore(schema: SoundLibrarySchema.schema)
    let record = SoundEventRecord(
      sequence: 1, at: Timestamp(milliseconds: 0), operation: Library.id(0), by: "cli",
      event: .catalogCreated(CatalogCreated(kind: kind, layout: layout, logID: Library.id(0))))
    let error = #expect(throws: ProjectionError.self) {
      try SoundLibraryProjector().apply(record, to: store)
    }
    #expect(error?.code == .foreign)
  }
}

/// A few events applied to rows in memory: music 1 and 2 (playlist pl.1), sounds 11 and 12, pack 50,
/// the location Forest and the creature Ooze.
final class Library {
  let store = MemoryRowStore(schema: SoundLibrarySchema.schema)
  private(set) var sequence: UInt64 = 0

  static let locations = TagDimension.all[0]
  static let creatures = TagDimension.all[5]

  init() throws {
    for event in [
      .catalogCreated(CatalogCreated(kind: "sound-library", layout: 1, logID: Self.id(0))),
      Self.value("Forest", 1), Self.value("Ooze", 1, of: Self.creatures),
      Self.item(1, .music), Self.item(2, .music), Self.item(11, .sfx), Self.item(12, .sfx),
      Self.playlist(1, "pl.1"), Self.pack(50, .sfx),
    ] {
      #expect(try apply(event) == nil)
    }
  }

  /// Event n happens n seconds after 1970.
  @discardableResult
  func apply(_ event: SoundEvent, by: String = "seed:test") throws -> ProjectionConflict? {
    sequence += 1
    return try SoundLibraryProjector().apply(record(event, by: by), to: store)
  }

  func record(_ event: SoundEvent, by: String = "seed:test") -> SoundEventRecord {
    SoundEventRecord(
      sequence: sequence, at: Self.time(sequence), operation: Self.id(0), by: by, event: event)
  }

  /// All rows, by table.
  func rows() -> [[[Value]]] {
    SoundLibrarySchema.schema.tables.map { store.rows(in: $0) }
  }

  func row(_ table: TableDescription, _ key: Value...) throws -> [Value]? {
    try store.row(in: table, key: key)
  }

  static func time(_ sequence: UInt64) -> Timestamp {
    Timestamp(milliseconds: Int64(sequence) * 1_000)
  }

  static func id(_ number: UInt64) -> EntityID { EntityID(high: 7, low: number) }

  static func value(
    _ name: String, _ id: Int64, of dimension: TagDimension = locations
  ) -> SoundEvent {
    .dimensionValueAdded(
      DimensionValueAdded(
        dimension: dimension, id: id, name: name, sortOrder: nil, isSystem: true))
  }

  static func item(_ number: UInt64, _ kind: Kind, title: String = "Title") -> SoundEvent {
    .itemUpserted(
      ItemUpserted(
        id: id(number), kind: kind, title: title, subtitle: nil, duration: nil, artworkURL: nil))
  }

  static func tags(
    _ number: UInt64, _ names: [String], of dimension: TagDimension = locations,
    source: String = "seed:test"
  ) -> SoundEvent {
    var tags = TagSet()
    tags[dimension] = names
    return .itemTagsSet(ItemTagsSet(item: id(number), source: source, tags: tags))
  }

  static func playlist(_ number: UInt64, _ name: String) -> SoundEvent {
    .playlistLinked(PlaylistLinked(item: id(number), playlistID: name, useSnapshot: false))
  }

  /// The first list of playlist pl.1, in which its tracks take turns.
  static func list(_ places: Int, ofTracks tracks: Int) -> SoundEvent {
    .playlistTracksSnapshotted(
      PlaylistTracksSnapshotted(
        item: id(1), playlistID: "pl.1", storefront: "us", base: nil, count: Int64(places),
        runs: [.new((0..<places).map { "t\($0 % tracks)" })],
        tracks: (0..<tracks).map { number in
          PlaylistTracksSnapshotted.Track(
            id: "t\(number)", type: "songs", title: "Song", artist: "Somebody", album: nil,
            duration: nil, artworkURL: nil)
        }))
  }

  static func pack(_ number: UInt64, _ kind: PackKind, version: Int64 = 1) -> SoundEvent {
    .packUpserted(
      PackUpserted(
        id: id(number), kind: kind, title: "Pack", description: nil, artworkURL: nil,
        version: version, manifestURL: "https://example.com/m.json"))
  }

  static func members(_ number: UInt64, _ items: [UInt64]) -> SoundEvent {
    .packItemsSet(PackItemsSet(pack: id(number), items: items.map(id)))
  }
}
