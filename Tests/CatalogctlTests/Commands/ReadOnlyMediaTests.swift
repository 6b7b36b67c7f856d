import CatalogTestSupport
import Foundation
import GRDB
import Promises
import Testing

/// Commands on a catalog that cannot be written: a read-only mount, in a mount namespace of the command's own. The
/// superuser may write to a folder whatever its permissions say.
@Suite(
  .promise(
    "A catalog on read-only media is read as any other, and is not written",
    by: "a read-only mount of the command's own"),
  .serialized, .enabled(if: ReadOnlyMount.works, "this machine does not let a process mount"))
struct ReadOnlyMediaTests {
  private static let reading: [[String]] = [
    ["items", "music"], ["items", "sfx"], ["item", SampleSeed.id(1)], ["facets", "sfx"],
    ["search", "song"], ["music"], ["packs"], ["pack", SampleSeed.sfxPack], ["tag", "list"],
    ["lint"], ["head"], ["stats"], ["log"], ["check"], ["doctor"], ["verify"],
    ["verify", "--quick"], ["receipt"], ["query", "SELECT count(*) FROM library_item"],
    ["query", "--at", "5", "SELECT count(*) FROM library_item"], ["diff", "5", "live"],
    ["blame", "library_item", SampleSeed.id(1)], ["event", "3", "--rows"], ["history", "status"],
    ["tables"], ["rows", "pack"], ["status"],
  ]

  @Test func readingCommandsWorkAsEverywhere() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    // The first question about the past makes the history, if it can.
    _ = try await Program.catalogctl(["history", "remove", "--catalog", catalog.path])
    let without = try await ReadOnlyMount.run(["query", "--at", "5", "SELECT 1 AS one"], catalog)
    #expect(without.status == 0 && without.output == "one\n1\n", "\(without)")
    let first = try await Program.catalogctl([
      "query", "--at", "5", "SELECT 1", "--catalog", catalog.path,
    ])
    try #require(first.errors.contains("history.sqlite was made"), "\(first)")
    for command in Self.reading {
      let usual = try await Program.catalogctl(command + ["--catalog", catalog.path])
      try #require([0, 2].contains(usual.status), "\(command): \(usual)")
      let limited = try await ReadOnlyMount.run(command, catalog)
      #expect(limited.status == usual.status, "\(command): \(limited)")
      #expect(limited.output == usual.output, "\(command)")
      #expect(limited.errors == usual.errors, "\(command)")
    }
  }

  @Test func writingCommandsSaySoAndDoNothing() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let seed = try catalog.folder.write(SampleSeed.text(revision: 2), to: "seed.json")
    for command in [
      ["import", seed], ["import", catalog.folder.file("missing.json")],
      ["tag", "add", SampleSeed.id(101), "--mood", "New"], ["rebuild"], ["seal"],
      ["history", "make"], ["history", "remove"], ["init"],
      ["download", SampleSeed.sfxPack], ["repair", SampleSeed.sfxPack],
      ["cancel", SampleSeed.sfxPack], ["delete", SampleSeed.sfxPack],
    ] {
      let run = try await ReadOnlyMount.run(command, catalog)
      #expect(run.status == 1, "\(command): \(run)")
      #expect(run.output.isEmpty, "\(command): \(run)")
      #expect(
        run.errors == """
          catalogctl: \(catalog.path) is on read-only media, so nothing can be changed; copy the catalog to a folder \
          that can be written, and change the copy

          """, "\(command)")
    }
    let copy = catalog.folder.file("salvaged")
    let salvaged = try await ReadOnlyMount.run(["salvage", copy], catalog)
    #expect(salvaged.status == 0, "\(salvaged)")
  }

  /// The log is replayed into a temporary database, which the command says.
  @Test(arguments: ["late", "missing", "of another projector", "not closed"])
  func aDatabaseThatWouldHaveToBeChangedStays(_ state: String) async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let old = try Data(contentsOf: URL(filePath: catalog.database))
    let holder = state == "not closed" ? try catalog.reader() : nil
    try #require(
      try await catalog.importSeed(SampleSeed.text(revision: 2)).status == 0)
    switch state {
    case "late": try old.write(to: URL(filePath: catalog.database))
    case "missing": try FileManager.default.removeItem(atPath: catalog.database)
    case "not closed":
      let size = try FileManager.default.attributesOfItem(atPath: catalog.database + "-wal")[.size]
      try #require(size as? Int ?? 0 > 0)
    default:
      try await catalog.sqlite("UPDATE projection_checkpoint SET fingerprint = hex(zeroblob(32))")
    }
    let other = try catalog.copy()
    try holder?.close()
    if state == "not closed" {
      // With its index SQLite reads the write-ahead log; without, it would have to write one.
      let shown = try await ReadOnlyMount.run(["items", "music"], other)
      #expect(shown.status == 0 && shown.errors == "4 items\n", "\(shown)")
      #expect(shown.output == (await catalog.run("items", "music")).output)
      try FileManager.default.removeItem(atPath: other.database + "-shm")
    }
    for command in [
      ["items", "music"], ["item", SampleSeed.id(1)], ["item", "Song 1"], ["receipt"],
      ["rows", "library_item", "--csv"], ["tables", "--all"],
    ] {
      let shown = try await ReadOnlyMount.run(command, other)
      #expect(shown.status == 0, "\(command): \(shown)")
      #expect(
        shown.errors.contains("the log is replayed into a temporary one"), "\(command): \(shown)")
      let usual = await InProcess.run(command + ["--catalog", catalog.path])
      #expect(shown.output == usual.output, "\(command): \(shown)")
    }
    // Documents are of the same rows.
    let documents = (catalog.folder.file("exported"), catalog.folder.file("exported-too"))
    let exported = try await ReadOnlyMount.run(["export", documents.0], other)
    let usual = await catalog.run("export", documents.1)
    #expect(exported.status == usual.status, "\(exported)")
    #expect(
      exported.output.replacing(documents.0, with: documents.1) == usual.output, "\(exported)")
    let verified = try await ReadOnlyMount.run(["verify"], other)
    #expect(verified.status == 1, "\(verified)")
    #expect(verified.errors.contains("does not have all events of the log"), "\(verified)")
    let changed = try await ReadOnlyMount.run(
      ["tag", "add", SampleSeed.id(101), "--mood", "New"], other)
    #expect(changed.status == 1 && changed.errors.contains("is on read-only media"), "\(changed)")
    if state == "missing" {
      let live = try await ReadOnlyMount.run(["query", "SELECT 1"], other)
      #expect(live.status == 1 && live.errors.contains("there is no database"), "\(live)")
      // None is created in a folder that can be written, either.
      let usual = await other.run("query", "SELECT 1")
      #expect(usual.status == 1 && usual.errors.contains("there is no database"), "\(usual)")
      #expect(!FileManager.default.fileExists(atPath: other.database))
    }
    let past = try await ReadOnlyMount.run(
      ["query", "--at", "5", "SELECT count(*) FROM library_item"], other)
    #expect(past.status == 0, "\(past)")
  }

  /// Names are those of the rows that the command shows, and not of a database that is not there.
  @Test func aShowIsNamedByItsDateWithoutADatabase() async throws {
    let archive = try TestCatalog()
    let package = ScratchFolder.repository + "/Examples/Concerts/data-v1.0.0"
    for words in [["init", "--kind", "concert-archive"], ["shows", "import", package]] {
      try #require(
        await InProcess.run(words + ["--catalog", archive.path]).status == 0)
    }
    try FileManager.default.removeItem(atPath: archive.database)
    for name in ["1977-05-08", "1977-05-08-lantern-hall-millbrook-ny-usa"] {
      let shown = try await ReadOnlyMount.run(["shows", "show", name], archive)
      #expect(shown.status == 0 && shown.output.contains("Lantern Hall"), "\(shown)")
    }
  }

  /// Evidence of a change by hand is reported, as everywhere.
  @Test func driftIsDrift() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    try await catalog.sqlite("UPDATE library_item SET title = 'Oops' WHERE title = 'Song 1'")
    for command in [["item", SampleSeed.id(1)], ["verify"], ["doctor"]] {
      let run = try await ReadOnlyMount.run(command, catalog)
      #expect(run.status == 2, "\(command): \(run)")
    }
  }
}

extension TestCatalog {
  /// Reads the database, and keeps the write-ahead log from being written into it.
  fileprivate func reader() throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let queue = try DatabaseQueue(path: database, configuration: configuration)
    try queue.unsafeRead { database in
      try database.beginTransaction(.deferred)
      _ = try Row.fetchOne(database, sql: "SELECT * FROM projection_checkpoint")
    }
    return queue
  }
}

/// A command that sees its catalog mounted read-only.
enum ReadOnlyMount {
  static let works = (try? CatalogTestSupport.Program("unshare", "-Urm", "true").status) == 0

  static func run(_ arguments: [String], _ catalog: TestCatalog) async throws -> Outcome {
    let script = """
      mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" || exit 99
      exec "$@"
      """
    return try await Program.run(
      "unshare",
      ["-Urm", "/bin/sh", "-c", script, catalog.path, Program.catalogctl] + arguments
        + ["--catalog", catalog.path])
  }
}
