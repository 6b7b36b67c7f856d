import CatalogModel
import CatalogStore
import CatalogTestSupport
import Foundation
import Projections
import Promises
import SoundLibraryTestSupport
import Testing

@testable import SoundLibrary

/// The two row stores, and a projector in another language, make the same rows of the same events.
@Suite(
  .promise(
    "The two row stores make the same rows, and answer the same in any order of calls",
    by: "generated histories, on a real kind"),
  .promise(
    "The rows are what the documents say, in a second implementation in Python",
    by: "`Tools/reducer.py`, written from the documents; on a real kind"),
  .promise(
    "The same log makes the same bytes; two processes agree",
    by: "on a real kind"))
struct RowStoresAgreeTests {
  private static let checkpoint = Checkpoint.made()

  @Test(arguments: (1...12).map { UInt64($0) })
  func memoryAndSQLiteMakeTheSameDatabase(seed: UInt64) throws {
    let folder = try ScratchFolder()
    var generator = HistoryGenerator(seed: seed)
    let batches = generator.batches(60)
    let bulk = try Self.bulk(batches, folder.file("bulk.sqlite"))
    let perTransaction = 1 + Int(seed % 5)
    let incremental = try Self.incremental(
      batches, folder.file("incremental.sqlite"), batchesPerTransaction: perTransaction)
    #expect(bulk == incremental, "seed \(seed), \(perTransaction) batches a transaction")
    let large = try Self.incremental(
      batches, folder.file("large.sqlite"), batchesPerTransaction: 25, events: 10_000)
    #expect(bulk == large, "seed \(seed), as a large update")
  }

  @Test(arguments: [101, 102, 103] as [UInt64])
  func theReducerInPythonMakesTheSameRows(seed: UInt64) throws {
    let folder = try ScratchFolder()
    var generator = HistoryGenerator(seed: seed)
    let batches = generator.batches(80)
    _ = try Self.bulk(batches, folder.file("bulk.sqlite"))
    var lines: [UInt8] = []
    for record in batches.joined() { lines += EventEncoder().encode(record) + [0x0A] }
    try Data(lines).write(to: URL(fileURLWithPath: folder.file("events.jsonl")))
    let reducer = try Program(
      "python3", "Tools/reducer.py", folder.file("events.jsonl"), folder.file("bulk.sqlite"),
      in: ScratchFolder.repository)
    #expect(reducer.status == 0, "seed \(seed): \(reducer.output) \(reducer.errors)")
  }

  @Test func theSameRowsMakeTheSameBytes() throws {
    let folder = try ScratchFolder()
    var generator = HistoryGenerator(seed: 7)
    let batches = generator.batches(40)
    _ = try Self.bulk(batches, folder.file("one.sqlite"))
    _ = try Self.bulk(batches, folder.file("two.sqlite"))
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: folder.file("one.sqlite")))
        == Data(contentsOf: URL(fileURLWithPath: folder.file("two.sqlite"))))
  }

  @Test(arguments: [31, 32] as [UInt64])
  func noRowRefersToOneThatIsMissing(seed: UInt64) throws {
    let folder = try ScratchFolder()
    var generator = HistoryGenerator(seed: seed)
    _ = try Self.bulk(generator.batches(80), folder.file("a.sqlite"))
    let check = try Program(
      "sqlite3", folder.file("a.sqlite"), "PRAGMA foreign_key_check; PRAGMA integrity_check;")
    #expect(check.output == "ok\n")
  }

  private static func bulk(_ batches: [[SoundEventRecord]], _ path: String) throws -> Receipt {
    let store = MemoryRowStore(schema: SoundLibrarySchema.schema)
    for record in batches.joined() {
      try SoundLibraryProjector().applyWithoutConflict(record, to: store)
    }
    try BulkWriter(.soundLibrary).write(store, checkpoint: checkpoint, to: path)
    let database = try ProjectionDatabase(path: path, migrations: .soundLibrary)
    defer { try? database.close() }
    return try database.receipt()
  }

  private static func incremental(
    _ batches: [[SoundEventRecord]], _ path: String, batchesPerTransaction: Int, events: UInt64 = 1
  ) throws -> Receipt {
    let database = try ProjectionDatabase(path: path, migrations: .soundLibrary)
    defer { try? database.close() }
    try database.createTables()
    var rest = batches[...]
    while !rest.isEmpty {
      try database.update(events: events) { _, store in
        for record in rest.prefix(batchesPerTransaction).joined() {
          try SoundLibraryProjector().applyWithoutConflict(record, to: store)
        }
        return ProjectionAdvance(checkpoint)
      }
      rest = rest.dropFirst(batchesPerTransaction)
    }
    return try database.receipt()
  }
}
