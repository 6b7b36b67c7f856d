import CatalogTestSupport
import Foundation
import GRDB
import Promises
import Testing

/// A database that others hold, may not write, or made: told what to do, and the log is never touched.
@Suite(
  .promise(
    "If the database is missing, lacks events, or was made by another projector or from "
      + "another log, the error says which, and the log is not changed",
    by: "a database that another program holds, or that may not be written"))
struct ProjectionCareTests {
  @Test func aDatabaseThatAnotherProgramHoldsIsToldToBe() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let head = try await catalog.head()
    let bytes = try catalog.eventBytes()
    let holder = Process()
    holder.executableURL = URL(filePath: "/usr/bin/env")
    holder.arguments = [
      "python3", "-c",
      """
      import sqlite3, sys
      connection = sqlite3.connect(sys.argv[1], isolation_level=None)
      connection.execute("BEGIN EXCLUSIVE")
      print("held", flush=True)
      sys.stdin.read()
      """, catalog.database,
    ]
    let input = Pipe()
    let output = Pipe()
    holder.standardInput = input
    holder.standardOutput = output
    try holder.run()
    try #require(!output.fileHandleForReading.availableData.isEmpty)
    let seed = try catalog.folder.write(SampleSeed.text(revision: 2), to: "seed.json")
    let runs = try [["import", seed], ["rebuild"]].map {
      try Program.started(Program.catalogctl, $0 + ["--catalog", catalog.path])
    }
    for run in runs {
      let outcome = try await run.finish()
      #expect(outcome.status == 1, "\(outcome)")
      #expect(
        outcome.errors
          == "catalogctl: \(catalog.database) is locked by another program; try again when that one "
          + "has finished\n")
    }
    #expect(try catalog.eventBytes() == bytes)
    // Whoever reads sees the rows as they were before.
    let list = try await catalog.program("tag", "list")
    #expect(list.status == 0 && !list.output.isEmpty, "\(list)")
    // The log needs no database.
    #expect(try await catalog.head() == head)
    #expect(await catalog.run("check").status == 0)
    try input.fileHandleForWriting.close()
    holder.waitUntilExit()
    #expect(try await catalog.program("import", seed).status == 0)
    #expect(try await catalog.program("verify").status == 0)
  }

  /// Commands that only read do not wait for a transaction of another program; one that writes fails.
  @Test func aTransactionOfAnotherProgramKeepsNoReaderWaiting() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let head = try await catalog.head()
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    configuration.journalMode = .wal
    let holder = try DatabaseQueue(path: catalog.database, configuration: configuration)
    try await holder.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    for words in [
      ["verify"], ["verify", "--quick"], ["receipt"], ["tag", "list"], ["query", "SELECT 1"],
      ["doctor"],
    ] {
      let outcome = try await Program.catalogctl(words + ["--catalog", catalog.path])
      #expect(outcome.status == 0, "\(words): \(outcome)")
    }
    let refused = await catalog.run(
      "tag", "add", SampleSeed.id(101), "--mood", "Windy", "--wait", "0")
    #expect(refused.status == 1 && refused.errors.contains("is locked by another"), "\(refused)")
    #expect(try await catalog.head() == head)
    try await holder.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    try holder.close()
  }

  /// As a user who may read everything and write nothing: root may always write.
  @Test(.enabled(if: OtherUser.canBe, OtherUser.need))
  func aFolderThatMayNotBeWrittenIsLeftAsItIs() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(
      hasHistory: false, isForEverybody: true)
    // Another test may have had the shared database open while it was copied, and what SQLite keeps beside it with
    // it, through which anybody reads.
    #expect(await catalog.run("packs").status == 0)
    let seed = try catalog.folder.write(SampleSeed.text(revision: 2), to: "seed.json")
    let open = try await Program.run(
      "chmod", ["-R", "a+rX,go-w", catalog.folder.path])
    try #require(open.status == 0)
    let user = try await OtherUser(in: catalog.folder)
    let before = try ScratchFolder.contents(catalog.path)
    let here = ["--catalog", catalog.path]

    for command in [["import", seed], ["rebuild"], ["seal"], ["history", "make"]] {
      let outcome = try await user.run(command + here)
      #expect(outcome.status == 1, "\(command): \(outcome)")
      #expect(
        outcome.errors.contains("this user may not write to \(catalog.path)"),
        "\(command): \(outcome)")
    }
    for command in [
      ["tag", "list"], ["receipt"], ["verify"], ["doctor"], ["head"], ["check"], ["log"],
    ] {
      let outcome = try await user.run(command + here)
      #expect(outcome.status == 0, "\(command): \(outcome)")
    }
    let past = try await user.run(
      ["query", "SELECT count(*) FROM pack", "--events", catalog.events])
    #expect(past.status == 0 && past.output.contains("2"), "\(past)")
    #expect(try ScratchFolder.contents(catalog.path) == before)
  }
}
