import CatalogModel
import CatalogTestSupport
import Foundation
import GRDB
import Projections
import Promises
import Testing

@testable import CatalogStore

/// A projection that one connection reads until somebody writes.
@Suite(
  .promise(
    "Readers see old rows, then new ones, and never a mixture",
    by: "reads while another process writes"),
  .promise("Reading leaves a catalog's folder as it is"))
struct ProjectionConnectionsTests {
  /// SQLite waits for a lock as long as the caller wants to, but for the moments in which a process opens or closes a database.
  @Test(
    arguments: [
      (nil, 10_000), (.zero, 250), (.milliseconds(1), 250), (.seconds(2), 2_000),
      (.seconds(60), 60_000),
    ] as [(Duration?, Int)])
  func aConnectionWaitsAsItIsTold(wait: Duration?, milliseconds: Int) throws {
    let folder = try ScratchFolder()
    let projection = try ProjectionDatabase(
      path: folder.file("catalog.sqlite"), migrations: .shelf, wait: wait)
    defer { try? projection.close() }
    let found = try projection.pool.writeWithoutTransaction {
      try Int.fetchOne($0, sql: "PRAGMA busy_timeout")
    }
    #expect(found == milliseconds)
  }

  private let folder: ScratchFolder
  private var path: String { folder.file("catalog.sqlite") }

  init() throws {
    folder = try ScratchFolder()
    let database = try ProjectionDatabase(path: path, migrations: .shelf)
    try database.createTables()
    try Self.add("first", to: database)
    try database.close()
  }

  /// One more event, and a source of this name.
  private static func add(_ name: String, to database: ProjectionDatabase) throws {
    try database.update { checkpoint, store in
      let number = (checkpoint?.sequence ?? 0) + 1
      try store.put([.integer(Int64(number)), .text(name)], in: ShelfTables.source)
      return ProjectionAdvance(
        Checkpoint.made(at: number))
    }
  }

  private static func names(_ database: Database) throws -> [String] {
    try String.fetchAll(database, sql: "SELECT name FROM source ORDER BY id")
  }

  private func names(_ database: ProjectionDatabase) throws -> [String] {
    try database.inspect(Self.names)
  }

  private func opened(_ readers: ProjectionReaders = .one) throws -> ProjectionDatabase {
    try ProjectionDatabase(path: path, migrations: .shelf, readers: readers)
  }

  /// All files but those that tell whether a database was touched, which who writes leaves there.
  private var files: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        .filter { !$0.hasSuffix(".sqlite-proved") }
    }
  }

  private func expect(
    _ code: StoreError.Code, _ body: () throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) { try body() }
    #expect(error?.code == code, "\(String(describing: error))", sourceLocation: sourceLocation)
  }

  @Test func whoReadsLeavesTheFolderAsItIs() throws {
    // A sync of the file would show in its time.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)
    let before = try ScratchFolder.contents(folder.path)
    let database = try opened()
    #expect(try database.checkpoint()?.sequence == 1)
    #expect(try names(database) == ["first"])
    try database.close()
    #expect(try ScratchFolder.contents(folder.path) == before)
    #expect(try files == ["catalog.sqlite"])
    let changed = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
    #expect(changed == Date(timeIntervalSince1970: 1))
  }

  @Test func nothingIsWrittenThroughTheConnectionThatReads() throws {
    let database = try opened()
    defer { try? database.close() }
    #expect(throws: DatabaseError.self) {
      try database.inspect { try $0.execute(sql: "DELETE FROM source") }
    }
    #expect(try names(database) == ["first"])
  }

  @Test func theFirstWriteBehindReadsOpensThePool() async throws {
    let database = try opened()
    let early = ProjectionReader(database)
    #expect(try await early.read(Self.names) == ["first"])
    try Self.add("second", to: database)
    #expect(try names(database) == ["first", "second"])
    // A reader that was made before reads on.
    #expect(try await early.read(Self.names) == ["first", "second"])
    #expect(try await ProjectionReader(database).read(Self.names) == ["first", "second"])
    try database.close()
    #expect(try files == ["catalog.sqlite"])
  }

  @Test func readsGoOnWhileSomebodyElseWritesAndRebuilds() throws {
    let rebuilt = folder.file("rebuilt.sqlite")
    let store = MemoryRowStore(schema: ShelfTables.schema)
    try store.put([.integer(1), .text("rebuilt")], in: ShelfTables.source)
    try BulkWriter(.shelf).write(
      store,
      checkpoint: Checkpoint.made(at: 3), to: rebuilt)

    let reader = try opened()
    let writer = try opened(.several)
    #expect(try names(reader) == ["first"])
    try Self.add("second", to: writer)
    #expect(try names(reader) == ["first", "second"])
    try reader.inspect { database in
      #expect(try Self.names(database) == ["first", "second"])
      try writer.replace(withContentsOf: rebuilt)
      #expect(try Self.names(database) == ["first", "second"], "a read has one snapshot")
    }
    #expect(try names(reader) == ["rebuilt"])
    try writer.close()
    #expect(try names(reader) == ["rebuilt"])
    try reader.close()
    #expect(try files == ["catalog.sqlite", "rebuilt.sqlite"])
  }

  /// The write-ahead log of a process that died: who reads sees what it holds, and clears it away.
  @Test func whatACrashLeftInTheWriteAheadLogIsRead() throws {
    let writer = try opened(.several)
    try Self.add("second", to: writer)
    let crashed = try ScratchFolder()
    for ending in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: path + ending, toPath: crashed.file("catalog.sqlite\(ending)"))
    }
    try writer.close()
    let database = try ProjectionDatabase(
      path: crashed.file("catalog.sqlite"), migrations: .shelf, readers: .one)
    #expect(try names(database) == ["first", "second"])
    try database.close()
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: crashed.path) == ["catalog.sqlite"])
  }

  @Test func aFileThatWasReplacedIsNotWritten() throws {
    let database = try opened()
    #expect(try names(database) == ["first"])
    let bytes = try folder.bytes("catalog.sqlite")
    try FileManager.default.removeItem(atPath: path)
    try folder.write(bytes, to: "catalog.sqlite")
    expect(.replaced) { try Self.add("second", to: database) }
    expect(.replaced) { _ = try database.checkpoint() }
    try? database.close()
    #expect(try folder.bytes("catalog.sqlite") == bytes)
  }

  @Test func nothingIsAskedOfAClosedOne() throws {
    let database = try opened()
    try database.close()
    expect(.closed) { _ = try database.checkpoint() }
    expect(.closed) { try Self.add("second", to: database) }
    #expect(try files == ["catalog.sqlite"])
  }

  /// A new file, one without a write-ahead log, and one that is no database at all.
  @Test func whatOneConnectionCannotReadThePoolOpens() throws {
    let new = try ProjectionDatabase(
      path: folder.file("new.sqlite"), migrations: .shelf, readers: .one)
    #expect(try new.checkpoint() == nil)
    try new.createTables()
    try new.close()
    #expect(try files == ["catalog.sqlite", "new.sqlite"])

    try DatabaseQueue(path: path).writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA journal_mode = DELETE")
    }
    let database = try opened()
    #expect(try names(database) == ["first"])
    #expect(try database.inspect { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
    try database.close()

    try folder.write(String(repeating: "no database ", count: 100), to: "catalog.sqlite")
    expect(.notADatabase) { _ = try opened() }
  }
}
