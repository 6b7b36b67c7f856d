import CatalogEngine
import CatalogTestSupport
import EventLog
import Foundation
import GRDB
import Promises
import Testing

@testable import CatalogStore
@testable import SoundLibrary

#if canImport(Glibc)
  import Glibc
#endif

/// A database that anybody else wrote to is verified before its rows are shown; one that nobody else wrote to is not
/// read for that.
@Suite(
  .promise(
    "A database that another hand wrote to is verified before its rows are shown; after "
      + "this program's own writes nothing is verified again",
    by: "changes by hand beside an open catalog, while a writer waits, right after a write, "
      + "between commits; links, journals, copies, any file in the place of the witness; on a "
      + "real kind"))
struct TouchedDatabaseTests {
  private let test: ScratchCatalog

  init() async throws {
    test = try ScratchCatalog()
    try await test.apply(.sample())
  }

  private var witness: String { test.directory.database + "-proved" }

  /// Whether the next process that reads the database takes its rows for right without reading them.
  private func isKnown() throws -> Bool {
    try ProjectionDatabase(
      path: test.directory.database, migrations: SoundLibraryKind().migrations, readers: .one
    ).isKnownToBeRight
  }

  /// Whether the line is one of the files as they are.
  private func isKept() throws -> Bool {
    let line = try String(contentsOfFile: witness, encoding: .utf8)
    return DatabaseStamp(of: test.directory.database)?.isKept(in: line) ?? false
  }

  private func verify() async throws {
    let catalog = try await test.open { $0.readers = .one }
    defer { catalog.close() }
    try await catalog.verifyIfTouched()
  }

  @Test(arguments: [ProjectionReaders.one, .several])
  func whatThisProgramWroteIsKnownToBeRight(readers: ProjectionReaders) async throws {
    #expect(try isKnown())
    let catalog = try await test.open { $0.readers = readers }
    #expect(try await catalog.library.fetchItems(kind: .sfx).isEmpty == false)
    catalog.close()
    #expect(try isKnown())
    try await test.apply(.sample(revision: 2))
    #expect(try isKnown())
    let rebuilt = try await test.open()
    try await rebuilt.rebuild()
    rebuilt.close()
    #expect(try isKnown())
  }

  @Test(arguments: [
    "UPDATE library_item SET title = 'Oops'",
    "UPDATE mood SET name = 'Adventure' WHERE id = (SELECT min(id) FROM mood)",
    "DELETE FROM item_mood", "CREATE TABLE own (a)", "DROP TABLE projection_item_text",
  ])
  func whatWasChangedByHandIsFoundByEveryReader(statement: String) async throws {
    try test.execute(statement)
    #expect(try !isKnown())
    for _ in 0..<2 {
      await #expect(throws: StoreError.self) { try await verify() }
    }
    let catalog = try await test.open()
    try await catalog.rebuild()
    catalog.close()
    #expect(try isKnown())
    try await verify()
  }

  /// What is right is read once, and by no later process.
  @Test func aDatabaseThatWasCopiedIsReadOnce() async throws {
    let copy = test.scratch.file("copy")
    try FileManager.default.copyItem(atPath: test.directory.database, toPath: copy)
    try FileManager.default.removeItem(atPath: test.directory.database)
    try FileManager.default.copyItem(atPath: copy, toPath: test.directory.database)
    #expect(try !isKnown())
    try await verify()
    #expect(try isKnown())
  }

  @Test func aChangeBesideAnOpenCatalogIsNotTakenForItsOwn() async throws {
    let catalog = try await test.open()
    try await catalog.verifyIfTouched()
    let head = try catalog.log.head()
    try test.execute("UPDATE pack SET title = 'Oops'")
    for _ in 0..<2 {
      await #expect(throws: StoreError.self) { try await catalog.verifyIfTouched() }
    }
    let item = try #require(try firstItem())
    let error = await #expect(throws: StoreError.self) {
      try await catalog.tags.add([TagName(TagDimension.all[1], "New")], to: item)
    }
    #expect(error?.code == .drifted)
    #expect(try catalog.log.head() == head)
    catalog.close()
    #expect(try !isKnown())
    await #expect(throws: StoreError.self) { try await verify() }
  }

  /// Events that another process of this program applies are not a change by hand: its line says so.
  @Test func whatAnotherProcessOfOursWroteIsKnown() async throws {
    let catalog = try await test.open()
    try await catalog.verifyIfTouched()
    try await test.apply(.sample(revision: 2))
    let projection = catalog.opened.projection
    #expect(try projection.isKnownToBeRight)
    let item = try #require(try firstItem())
    _ = try await catalog.tags.add([TagName(TagDimension.all[1], "New")], to: item)
    #expect(try projection.isKnownToBeRight)
    catalog.close()
    #expect(try isKnown())
  }

  /// Two apps that have a catalog open and change it in turns do not read all rows after each other's changes; what the
  /// sqlite3 program changes in between is found by both.
  @Test func commitsOfAnotherOpenCatalogAreKnown() async throws {
    let catalogs = [try await test.open(), try await test.open()]
    defer { for catalog in catalogs { catalog.close() } }
    for catalog in catalogs { try await catalog.verifyIfTouched() }
    for turn in 0..<10 {
      let (writer, reader) = (catalogs[turn % 2], catalogs[(turn + 1) % 2])
      try await writer.importer.applyUpdates(TestSeed.sample(revision: turn + 2).source)
      // A look that is too early changes nothing.
      _ = try reader.opened.projection.isKnownToBeRight
      // The line is kept when no further write follows.
      try await Wait.until("the line") { try isKept() }
      #expect(try reader.opened.projection.isKnownToBeRight, "turn \(turn)")
      #expect(try writer.opened.projection.isKnownToBeRight, "turn \(turn)")
    }
    _ = try SQLiteShell.rows(of: test.directory.database, "UPDATE library_item SET title = 'Oops'")
    for catalog in catalogs {
      #expect(try !catalog.opened.projection.isKnownToBeRight)
      await #expect(throws: StoreError.self) { try await catalog.verifyIfTouched() }
    }
  }

  /// At once after each other's commits, too: no app reads all rows.
  @Test func twentyCommitsInTurnsVerifyNothing() async throws {
    let catalogs = [try await test.open(), try await test.open()]
    defer { for catalog in catalogs { catalog.close() } }
    for catalog in catalogs {
      try await catalog.verifyIfTouched()
      // However busy the machine is.
      catalog.opened.projection.touched.patience = 60_000
    }
    let proofs = catalogs.map(\.opened.projection.touched.proofs)
    for turn in 0..<20 {
      let source = try TestSeed.sample(revision: turn + 2).source
      try await catalogs[turn % 2].importer.applyUpdates(source)
      if turn % 3 == 0 { try await catalogs[(turn + 1) % 2].verifyIfTouched() }
    }
    #expect(catalogs.map(\.opened.projection.touched.proofs) == proofs)
    // A command that starts now.
    let command = try await test.open { $0.readers = .one }
    defer { command.close() }
    command.opened.projection.touched.patience = 60_000
    try await command.verifyIfTouched()
    #expect(command.opened.projection.touched.proofs == 0)
  }

  /// Half a write of its own does not look like that of another program.
  @Test func anAppThatLooksWhileItWritesVerifiesNothing() async throws {
    let catalog = try await test.open()
    defer { catalog.close() }
    try await catalog.verifyIfTouched()
    let looks = Task {
      var count = 0
      while !Task.isCancelled {
        try await catalog.verifyIfTouched()
        count += 1
      }
      return count
    }
    for revision in 2..<22 {
      try await catalog.importer.applyUpdates(TestSeed.sample(revision: revision).source)
    }
    looks.cancel()
    #expect(try await looks.value > 0)
    #expect(catalog.opened.projection.touched.proofs == 0)
  }

  /// The sqlite3 program changes a row right after a commit, or after its line was kept: the app that committed finds it,
  /// and so does the other one.
  @Test(arguments: [0, 1], [true, false])
  func aChangeBetweenTwoCommitsIsFound(next: Int, isLineKept: Bool) async throws {
    let catalogs = [try await test.open(), try await test.open()]
    for catalog in catalogs { try await catalog.verifyIfTouched() }
    try await catalogs[1].importer.applyUpdates(TestSeed.sample(revision: 2).source)
    try await catalogs[0].importer.applyUpdates(TestSeed.sample(revision: 3).source)
    if isLineKept {
      try await Wait.until("the line") { try isKept() }
    }
    _ = try SQLiteShell.rows(
      of: test.directory.database, "PRAGMA busy_timeout = 600000; UPDATE pack SET title = 'Oops'")
    let head = try catalogs[next].log.head()
    let source = try TestSeed.sample(revision: 4).source
    let error = await #expect(throws: StoreError.self) {
      try await catalogs[next].importer.applyUpdates(source)
    }
    #expect(error?.code == .drifted)
    for catalog in catalogs {
      await #expect(throws: StoreError.self) { try await catalog.verifyIfTouched() }
    }
    #expect(try catalogs[next].log.head() == head)
    for catalog in catalogs { catalog.close() }
    #expect(try !isKnown())
  }

  /// A reader holds a part of the write-ahead log: the line is kept later.
  @Test func aLineIsKeptOnceReadersAreDone() async throws {
    let catalog = try await test.open()
    defer { catalog.close() }
    try await catalog.verifyIfTouched()
    let reader = try connection("BEGIN; SELECT count(*) FROM pack")
    defer { try? reader.close() }
    try await catalog.importer.applyUpdates(TestSeed.sample(revision: 2).source)
    let projection = catalog.opened.projection
    #expect(try !projection.touched.keep(projection.pool))
    #expect(try !isKept())
    // What was written into the file meanwhile is its own.
    #expect(try projection.isKnownToBeRight)
    try await reader.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
    try await Wait.until("the line") { try isKept() }
  }

  /// A commit changes the files before it is one: no line is kept while another program is at it.
  @Test func noLineIsKeptWhileAnotherProgramCommits() async throws {
    let catalog = try await test.open()
    defer { catalog.close() }
    try await catalog.verifyIfTouched()
    // Until another program is at it.
    let reader = try connection("BEGIN; SELECT count(*) FROM pack")
    try await catalog.importer.applyUpdates(TestSeed.sample(revision: 2).source)
    let editor = try connection("BEGIN IMMEDIATE; UPDATE pack SET title = 'Oops'")
    defer { try? editor.close() }
    try reader.close()
    let projection = catalog.opened.projection
    #expect(try projection.touched.keep(projection.pool))
    #expect(try !isKept())
    try await editor.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
    #expect(try projection.touched.keep(projection.pool))
    #expect(try !isKept())
    await #expect(throws: StoreError.self) { try await catalog.verifyIfTouched() }
  }

  /// A connection of another program, with a transaction that it has begun.
  private func connection(_ sql: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let queue = try DatabaseQueue(path: test.directory.database, configuration: configuration)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    return queue
  }

  /// A process that waits for the lock looks once it has it.
  @Test func aChangeWhileAWriterWaitsIsSeen() async throws {
    let (waits, isWaiting) = AsyncStream.makeStream(of: Void.self)
    let catalog = try await test.open {
      $0.progress = { if $0.phase == .waiting { isWaiting.yield() } }
    }
    defer { catalog.close() }
    let holder = try EventLogWriter(directory: test.directory.events, holder: "a test")
    let change = Task {
      try await catalog.engine.change(by: "test", wait: .seconds(60)) { _ in [] }
    }
    for await _ in waits { break }
    try test.execute("DELETE FROM projection_item_search_data WHERE id > 1")
    holder.close()
    let error = await #expect(throws: StoreError.self) { try await change.value }
    #expect(error?.code == .drifted)
  }

  /// SQLite keeps the write-ahead log beside the file that a link leads to.
  @Test func aDatabaseBehindALinkIsLookedAtWhereItIs() async throws {
    let elsewhere = test.scratch.file("elsewhere.sqlite")
    try FileManager.default.moveItem(atPath: test.directory.database, toPath: elsewhere)
    try FileManager.default.createSymbolicLink(
      atPath: test.directory.database, withDestinationPath: elsewhere)
    try await verify()
    #expect(try isKnown())
    // The connection stays open, so that the change stays in the log.
    let editor = try DatabaseQueue(path: elsewhere)
    defer { try? editor.close() }
    try await editor.writeWithoutTransaction { database in
      try database.execute(
        sql: "PRAGMA journal_mode = WAL; UPDATE library_item SET title = 'Oops'")
    }
    #expect(FileManager.default.fileExists(atPath: elsewhere + "-wal"))
    #expect(try !isKnown())
    await #expect(throws: StoreError.self) { try await verify() }
  }

  /// SQLite rolls a journal back when it opens the database: whatever the line says, the rows are others then.
  @Test func aJournalCountsAsTouched() async throws {
    #expect(try isKnown())
    try Data(repeating: 1, count: 600).write(
      to: URL(filePath: test.directory.database + "-journal"))
    #expect(try !isKnown())
  }

  /// Changed other than by SQLite while a process has it open: `cat other > catalog.sqlite`.
  @Test func noLineIsKeptForAFileThatAnotherProgramWrote() async throws {
    let catalog = try await test.open()
    try await catalog.verifyIfTouched()
    let bytes = try Data(contentsOf: URL(filePath: test.directory.database))
    let handle = try FileHandle(forUpdating: URL(filePath: test.directory.database))
    try handle.seek(toOffset: UInt64(bytes.count - 1))
    try handle.write(contentsOf: bytes.suffix(1))
    try handle.close()
    try FileManager.default.removeItem(atPath: witness)
    catalog.close()
    #expect(!FileManager.default.fileExists(atPath: witness))
    #expect(try !isKnown())
  }

  /// File systems with whole seconds: an edit of the same size in the same second has the same times.
  @Test func aLineIsNotKeptWhileItsSecondLasts() throws {
    let look: DatabaseStamp.Look = { path in
      guard var info = DatabaseStamp.system(path) else { return nil }
      info.st_mtim.tv_nsec = 0
      info.st_ctim.tv_nsec = 0
      return info
    }
    let stamp = try #require(DatabaseStamp(of: test.directory.database, look))
    var info = stat()
    #expect(stat(test.directory.database, &info) == 0)
    for (age, isOld) in [(0, false), (1, false), (2, false), (3, true)] {
      let now = timespec(tv_sec: max(info.st_mtim.tv_sec, info.st_ctim.tv_sec) + age, tv_nsec: 0)
      #expect(stamp.waitForNextStep(now: { DatabaseStamp.Moment(now) }) == isOld, "\(age) s")
    }
  }

  /// exFAT keeps hundredths of a second: a line is kept once the next one has begun.
  @Test func aLineIsNotKeptWhileItsHundredthLasts() throws {
    let look: DatabaseStamp.Look = { path in
      guard var info = DatabaseStamp.system(path) else { return nil }
      info.st_mtim.tv_nsec = 990_000_000
      info.st_ctim = info.st_mtim
      return info
    }
    let stamp = try #require(DatabaseStamp(of: test.directory.database, look))
    var info = stat()
    #expect(stat(test.directory.database, &info) == 0)
    for (seconds, nanoseconds, isOld) in [(0, 995_000_000, false), (1, 0, false), (1, 1, true)] {
      let now = timespec(tv_sec: info.st_mtim.tv_sec + seconds, tv_nsec: nanoseconds)
      #expect(stamp.waitForNextStep(now: { DatabaseStamp.Moment(now) }) == isOld, "\(nanoseconds)")
    }
  }

  @Test func aHardLinkInPlaceOfTheLineIsNotWrittenThrough() async throws {
    let precious = test.scratch.file("precious")
    try Data("precious".utf8).write(to: URL(filePath: precious))
    try FileManager.default.removeItem(atPath: witness)
    try FileManager.default.linkItem(atPath: precious, toPath: witness)
    try await verify()
    #expect(try isKnown())
    #expect(try String(contentsOfFile: precious, encoding: .utf8) == "precious")
  }

  @Test func aChangedListOfMigrationsIsFound() async throws {
    try test.execute("INSERT INTO grdb_migrations VALUES ('by hand')")
    let error = await #expect(throws: StoreError.self) { try await verify() }
    #expect(error?.message.contains("grdb_migrations") == true)
  }

  /// Rows without a checkpoint are a change by hand, and not a database of an earlier release.
  @Test func rowsWithoutACheckpointFollowDrift() async throws {
    try test.execute("DELETE FROM projection_checkpoint")
    let error = await #expect(throws: StoreError.self) {
      try await test.open {
        $0.stale = .rebuild
        $0.drift = .refuse
      }
    }
    #expect(error?.code == .drifted)
    let catalog = try await test.open {
      $0.stale = .refuse
      $0.drift = .rebuild
    }
    catalog.close()
    try await verify()
  }

  @Test(arguments: ["", "1", "1 2 3", String(repeating: "9", count: 5_000), "\u{0}"])
  func whatTheWitnessSaysIsNotTakenOnTrust(text: String) async throws {
    try Data(text.utf8).write(to: URL(filePath: witness))
    #expect(try !isKnown())
    try await verify()
    #expect(try isKnown())
  }

  @Test func aWitnessThatCannotBeReadStopsNobody() async throws {
    try FileManager.default.removeItem(atPath: witness)
    try FileManager.default.createDirectory(atPath: witness, withIntermediateDirectories: false)
    try await verify()
    #expect(try !isKnown())
    try FileManager.default.removeItem(atPath: witness)
    #expect(mkfifo(witness, 0o600) == 0)
    try await verify()
    try FileManager.default.removeItem(atPath: witness)
    try FileManager.default.createSymbolicLink(
      atPath: witness, withDestinationPath: test.scratch.file("elsewhere"))
    try await verify()
    #expect(!FileManager.default.fileExists(atPath: test.scratch.file("elsewhere")))
  }

  /// Times of files move in steps of some milliseconds: a change right after the last look is seen all the same.
  @Test func aChangeRightAfterTheLastWriteIsSeen() async throws {
    for number in 0..<20 {
      let catalog = try await test.open()
      try await catalog.rebuild()
      catalog.close()
      try test.execute("UPDATE library_item SET title = 'Oops \(number)'")
      #expect(try !isKnown())
    }
  }

  @Test func aCatalogThatWasClosedTwiceIsClosed() async throws {
    let catalog = try await test.open()
    catalog.close()
    catalog.close()
    let error = await #expect(throws: StoreError.self) {
      try await catalog.library.fetchItems(kind: .sfx)
    }
    #expect(error?.code == .closed)
    #expect(try isKnown())
  }

  private func firstItem() throws -> UUID? {
    try test.rows("SELECT id FROM library_item WHERE kind = 'music' LIMIT 1").first
      .flatMap(UUID.init)
  }
}
