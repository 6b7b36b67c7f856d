import CatalogModel
import CatalogStore
import CatalogTestSupport
import Foundation
import GRDB
import Projections
import Promises
import SoundLibraryTestSupport
import Testing

@testable import SoundLibrary

/// Whatever decodes has an effect, the same in both row stores and in another language, and never an error.
@Suite(
  .promise(
    "Whatever decodes has an effect, the same in both row stores and in Python, and stops "
      + "no replay",
    by: "any events in any order, beyond all limits; on a real kind"),
  .promise(
    "Running digests are those of the rows, however these were written, and any change of "
      + "any cell changes them",
    by: "on a real kind"))
struct ContradictoryHistoryTests {
  private static let events = 1_500

  private static func checkpoint(_ sequence: UInt64) -> Checkpoint {
    Checkpoint.made(at: sequence)
  }

  @Test(arguments: (1...8).map { UInt64($0) })
  func anyEventsInAnyOrderMakeTheSameRowsEverywhere(seed: UInt64) throws {
    let folder = try ScratchFolder()
    var history = ContradictoryHistory(seed: seed)
    let records = history.records(Self.events)
    let (receipt, conflicts) = try Self.bulk(records, folder.file("bulk.sqlite"))
    let (incremental, other) = try Self.incremental(
      records, folder.file("incremental.sqlite"), perTransaction: 1 + Int(seed) * 7)
    #expect(receipt == incremental, "seed \(seed)")
    #expect(conflicts == other, "seed \(seed)")
    // Both happen, else the stream shows nothing.
    #expect(conflicts.count > Self.events / 5 && conflicts.count < Self.events * 9 / 10)

    try folder.write(records.flatMap { EventEncoder().encode($0) + [0x0A] }, to: "events.jsonl")
    let reducer = try Program(
      "python3", "Tools/reducer.py", folder.file("events.jsonl"), folder.file("bulk.sqlite"),
      in: ScratchFolder.repository)
    #expect(reducer.status == 0, "seed \(seed): \(reducer.output) \(reducer.errors)")
    let check = try Program(
      "sqlite3", folder.file("bulk.sqlite"), "PRAGMA foreign_key_check; PRAGMA integrity_check;")
    #expect(check.output == "ok\n", "seed \(seed)")
  }

  /// A pack's own source named by an `item.tags.set`: what it gives stays until the pack's own tags give or take.
  @Test func whatIsGivenInAPacksNameIsTheSameInPython() throws {
    let folder = try ScratchFolder()
    func id(_ number: UInt64) -> EntityID { EntityID(high: 7, low: number) }
    let creatures = try #require(TagDimension.all.first { $0.key == "creatureTypes" })
    var tags = TagSet()
    tags[creatures] = ["Ooze"]
    let events: [SoundEvent] = [
      .catalogCreated(CatalogCreated(kind: "sound-library", layout: 1, logID: id(0))),
      .itemUpserted(
        ItemUpserted(
          id: id(1), kind: .sfx, title: "Drip", subtitle: nil, duration: nil, artworkURL: nil)),
      .dimensionValueAdded(
        DimensionValueAdded(
          dimension: creatures, id: 1, name: "Ooze", sortOrder: nil, isSystem: false)),
      .packUpserted(
        PackUpserted(
          id: id(2), kind: .sfx, title: "Wet", description: nil, artworkURL: nil, version: 1,
          manifestURL: "https://example.com/")),
      .itemTagsSet(ItemTagsSet(item: id(1), source: "pack:\(id(2))", tags: tags)),
      .packItemsSet(PackItemsSet(pack: id(2), items: [id(1)])),
    ]
    let records = events.enumerated().map { place, event in
      SoundEventRecord(
        sequence: UInt64(place) + 1, at: Timestamp(milliseconds: 0), operation: id(0), by: "cli",
        event: event)
    }
    let (_, conflicts) = try Self.bulk(records, folder.file("bulk.sqlite"), rows: 10)
    #expect(conflicts.isEmpty)
    let shown = try Program(
      "sqlite3", folder.file("bulk.sqlite"), "SELECT count(*) FROM item_creature_type;")
    #expect(shown.output == "1\n")
    try folder.write(records.flatMap { EventEncoder().encode($0) + [0x0A] }, to: "events.jsonl")
    let reducer = try Program(
      "python3", "Tools/reducer.py", folder.file("events.jsonl"), folder.file("bulk.sqlite"),
      in: ScratchFolder.repository)
    #expect(reducer.status == 0, "\(reducer.output) \(reducer.errors)")
  }

  private static func bulk(
    _ records: [SoundEventRecord], _ path: String, rows: Int = 50
  ) throws -> (Receipt, [ProjectionConflict]) {
    let store = MemoryRowStore(schema: SoundLibrarySchema.schema)
    var conflicts: [ProjectionConflict] = []
    for record in records {
      if let conflict = try SoundLibraryProjector().apply(record, to: store) {
        conflicts.append(conflict)
      }
    }
    try BulkWriter(.soundLibrary).write(
      store, checkpoint: checkpoint(UInt64(records.count)), conflicts: conflicts, to: path)
    let database = try ProjectionDatabase(path: path, migrations: .soundLibrary)
    defer { try? database.close() }
    try expectSound(database, rows: rows)
    #expect(try database.pool.read { try ConflictTable.read($0) } == conflicts)
    return (try database.receipt(), conflicts)
  }

  private static func incremental(
    _ records: [SoundEventRecord], _ path: String, perTransaction: Int
  ) throws -> (Receipt, [ProjectionConflict]) {
    let database = try ProjectionDatabase(path: path, migrations: .soundLibrary)
    defer { try? database.close() }
    try database.createTables()
    var rest = records[...]
    while !rest.isEmpty {
      try database.update { _, store in
        var conflicts: [ProjectionConflict] = []
        for record in rest.prefix(perTransaction) {
          if let conflict = try SoundLibraryProjector().apply(record, to: store) {
            conflicts.append(conflict)
          }
        }
        let last = rest.prefix(perTransaction).last?.sequence ?? 0
        return ProjectionAdvance(checkpoint(last), conflicts: conflicts)
      }
      rest = rest.dropFirst(perTransaction)
    }
    try expectSound(database)
    return (try database.receipt(), try database.pool.read { try ConflictTable.read($0) })
  }

  /// The running digests are those of the rows, however these were written.
  private static func expectSound(_ database: ProjectionDatabase, rows: Int = 50) throws {
    let inspection = try database.pool.read { try ProjectionInspection($0, .soundLibrary) }
    #expect(inspection.isSound, "\(inspection)")
    #expect(inspection.rows > rows)
  }
}
