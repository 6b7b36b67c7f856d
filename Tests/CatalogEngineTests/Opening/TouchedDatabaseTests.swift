import CatalogTestSupport
import EventLog
import Foundation
import GRDB
import Promises
import StoreTestSupport
import Testing

@testable import CatalogEngine
@testable import CatalogStore

#if canImport(Glibc)
  import Glibc
#endif

/// A database to which another program wrote is verified before its rows are shown; any other one is not read for
/// that.
@Suite(
  .promise(
    "A database that another hand wrote to is verified before its rows are shown; after "
      + "this program's own writes nothing is verified again",
    by: "changes by hand beside an open catalog, while a writer waits, right after a "
      + "write, between commits; links, journals, copies, any file in the place of the "
      + "witness"))
struct TouchedDatabaseTests {
  private let test: ScratchShelves

  init() async throws {
    test = try ScratchShelves()
    try await test.apply()
  }

  private var witness: String { test.directory.database + "-proved" }

  /// Whether the next process that reads the database takes its rows for right without reading them.
  private func isKnown() throws -> Bool {
    try ProjectionDatabase(
      path: test.directory.database, migrations: Shelves().migrations, readers: .one
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
    #expect(try await catalog.rows(of: Shelf.table).isEmpty == false)
    catalog.close()
    #expect(try isKnown())
    try await test.apply(edition: 2)
    #expect(try isKnown())
    let rebuilt = try await test.open()
    try await rebuilt.rebuild()
    rebuilt.close()
    #expect(try isKnown())
  }

  @Test(arguments: [
    "UPDATE title SET words = 'Oops'", "UPDATE shelf SET name = 'z' WHERE name = 'c'",
    "DELETE FROM book", "CREATE TABLE own (a)", "DROP TABLE title",
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

  /// A database that is right is read once, and by no later process.
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
    let head = try catalog.opened.log.head()
    try test.execute("UPDATE book SET shelf = 'c'")
    for _ in 0..<2 {
      await #expect(throws: StoreError.self) { try await catalog.verifyIfTouched() }
    }
    let error = await #expect(throws: StoreError.self) {
      try await catalog.change(by: "test") { _ in [.shelf("new", true)] }
    }
    #expect(error?.code == .drifted)
    #expect(try catalog.opened.log.head() == head)
    catalog.close()
    #expect(try !isKnown())
    await #expect(throws: StoreError.self) { try await verify() }
  }

  /// Events that another process of this program applies are not a change by hand: its line says so.
  @Test func whatAnotherProcessOfOursWroteIsKnown() async throws {
    let catalog = try await test.open()
    try await catalog.verifyIfTouched()
    try await test.apply(edition: 2)
    let projection = catalog.opened.projection
    #expect(try projection.isKnownToBeRight)
    _ = try await catalog.change(by: "test") { _ in [.shelf("new", true)] }
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
      try await writer.apply(edition: turn + 2)
      // A look that is too early changes nothing.
      _ = try reader.opened.projection.isKnownToBeRight
      // The line is kept when no further write follows.
      try await Wait.until("the line") { try isKept() }
      #expect(try reader.opened.projection.isKnownToBeRight, "turn \(turn)")
      #expect(try writer.opened.projection.isKnownToBeRight, "turn \(turn)")
    }
    _ = try SQLiteShell.rows(of: test.directory.database, "UPDATE title SET words = 'Oops'")
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
      try await catalogs[turn % 2].apply(edition: turn + 2)
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
    for edition in 2..<22 {
      try await catalog.apply(edition: edition)
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
    try await catalogs[1].apply(edition: 2)
    try await catalogs[0].apply(edition: 3)
    if isLineKept {
      try await Wait.until("the line") { try isKept() }
    }
    _ = try SQLiteShell.rows(
      of: test.directory.database, "PRAGMA busy_timeout = 600000; UPDATE book SET shelf = 'c'")
    let head = try catalogs[next].opened.log.head()
    let error = await #expect(throws: StoreError.self) {
      try await catalogs[next].apply(edition: 4)
    }
    #expect(error?.code == .drifted)
    for catalog in catalogs {
      await #expect(throws: StoreError.self) { try await catalog.verifyIfTouched() }
    }
    #expect(try catalogs[next].opened.log.head() == head)
    for catalog in catalogs { catalog.close() }
    #expect(try !isKnown())
  }

  /// A reader holds a part of the write-ahead log: the line is kept later.
  @Test func aLineIsKeptOnceReadersAreDone() async throws {
    let catalog = try await test.open()
    defer { catalog.close() }
    try await catalog.verifyIfTouched()
    let reader = try connection("BEGIN; SELECT count(*) FROM book")
    defer { try? reader.close() }
    try await catalog.apply(edition: 2)
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
    let reader = try connection("BEGIN; SELECT count(*) FROM book")
    try await catalog.apply(edition: 2)
    let editor = try connection("BEGIN IMMEDIATE; UPDATE book SET shelf = 'c'")
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
      try await catalog.change(by: "test", wait: .seconds(60)) { _ in [] }
    }
    for await _ in waits { break }
    try test.execute("DELETE FROM title_search_data WHERE id > 1")
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
        sql: "PRAGMA journal_mode = WAL; UPDATE title SET words = 'Oops'")
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
      try test.execute("UPDATE title SET words = 'Oops \(number)'")
      #expect(try !isKnown())
    }
  }

  @Test func aCatalogThatWasClosedTwiceIsClosed() async throws {
    let catalog = try await test.open()
    catalog.close()
    catalog.close()
    let error = await #expect(throws: StoreError.self) {
      try await catalog.rows(of: Shelf.table)
    }
    #expect(error?.code == .closed)
    #expect(try isKnown())
  }
}
