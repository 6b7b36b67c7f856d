import CatalogTestSupport
import Foundation
import PostgresTestSupport
import Promises
import Testing

/// Folders that begin a log in a server, or get one that it has.
@Suite(
  .promise(
    "A folder joins the log that is named, and an init that is refused leaves no trace",
    by: "mistyped names, folders with files, a role without rights, machines at once"),
  .enabled(if: PostgresCluster.isInstalled, "PostgreSQL's server is not installed"))
struct SharedLogJoiningTests: SharedLogSuite {
  let log: SharedLog

  init() throws { log = try SharedLog() }

  /// A folder that joins needs no name of a kind: the log has it.
  @Test func aFolderJoinsALogOfItsKind() async throws {
    let first = try TestCatalog()
    #expect(
      await first.run("init", "--kind", "concert-archive", "--log", address).status == 0)
    let second = try await TestCatalog().run("init", "--log", address)
    #expect(
      second.status == 0 && second.output.contains("of kind concert-archive"), "\(second)")
    let other = try TestCatalog()
    let refused = await other.run("init", "--kind", "track-library", "--log", address)
    #expect(refused.status == 1 && refused.errors.contains("concert-archive"), "\(refused)")
    #expect(!FileManager.default.fileExists(atPath: other.path))
  }

  @Test func machinesThatBeginALogAtOnceHaveOne() async throws {
    let catalogs = try (0..<6).map { _ in try TestCatalog() }
    let outputs = try await withThrowingTaskGroup(of: Outcome.self) { group in
      for catalog in catalogs {
        group.addTask {
          try await catalog.program("init", "--kind", "sound-library", "--log", address)
        }
      }
      return try await group.reduce(into: [Outcome]()) { $0.append($1) }
    }
    #expect(outputs.allSatisfy { $0.status == 0 }, "\(outputs)")
    #expect(outputs.count { $0.output.hasPrefix("created") } == 1)
    var heads: Set<String> = []
    for catalog in catalogs { heads.insert(await catalog.run("head", "--format", "json").output) }
    #expect(heads.count == 1)
  }

  @Test func aFolderThatCannotJoinKeepsNoTrace() async throws {
    let catalog = try TestCatalog()
    let away = "postgresql://postgres@/postgres?host=/nowhere#x"
    #expect(await catalog.run("init", "--log", away).status == 1)
    #expect(!FileManager.default.fileExists(atPath: catalog.path + "/log.url"))
    let secret = await catalog.run("init", "--log", "postgresql://a:hidden@h/d#x")
    #expect(secret.status == 1 && !secret.errors.contains("hidden"), "\(secret)")
    let own = try await TestCatalog.imported()
    let refused = await own.run("init", "--kind", "sound-library", "--log", address)
    #expect(refused.status == 1, "\(refused)")
    #expect(!FileManager.default.fileExists(atPath: own.path + "/log.url"))
  }

  /// The server knows the database, and does not let this role make tables in it.
  @Test(arguments: ["no folder", "an empty folder", "a folder with files", "its address"])
  func aRefusedInitChangesNothing(before: String) async throws {
    if try cluster.sql("SELECT 1 FROM pg_roles WHERE rolname = 'reader'").isEmpty {
      // Another case of this test may make it at the same time.
      _ = try? cluster.sql("CREATE ROLE reader LOGIN")
    }
    let database = "refused_\(before.utf8.count)"
    try cluster.sql("CREATE DATABASE \(database)")
    let address = "postgresql://reader@/\(database)?host=\(cluster.folder)#x"
    let catalog = try TestCatalog()
    let path = catalog.path + "/deep/er"
    switch before {
    case "no folder": break
    case "an empty folder": try make(path)
    case "its address":
      try make(path)
      try "\(address)\n".write(toFile: path + "/log.url", atomically: true, encoding: .utf8)
    default:
      try make(path + "/events")
      try "a text".write(toFile: path + "/LOCK", atomically: true, encoding: .utf8)
      try "a note".write(toFile: path + "/notes.txt", atomically: true, encoding: .utf8)
    }
    let all = try ScratchFolder.contents(catalog.folder.path).filter { !$0.key.hasSuffix("/LOCK") }
    for options in [[], ["--accept-loss"]] {
      let refused = await InProcess.run(["init", "--log", address, "--catalog", path] + options)
      #expect(refused.status == 1 && refused.errors.contains("42501"), "\(refused)")
      let left = try ScratchFolder.contents(catalog.folder.path).filter {
        !$0.key.hasSuffix("/LOCK") || before != "a folder with files"
      }
      #expect(left == all, "\(left.keys.sorted())")
    }
    let examined = await InProcess.run(["doctor", "--catalog", path])
    #expect(examined.status == 1 && !examined.output.contains("behind"), "\(examined)")
    try cluster.sql("GRANT CREATE ON SCHEMA public TO PUBLIC", in: database)
    let made = await InProcess.run(["init", "--log", address, "--catalog", path])
    #expect(made.status == 0, "\(made)")
    // The tables are there now: a role that may only append begins another log in them.
    try cluster.sql("REVOKE CREATE ON SCHEMA public FROM PUBLIC", in: database)
    let other = await InProcess.run([
      "init", "--kind", "sound-library", "--log", address + "-2", "--catalog",
      catalog.folder.file("other"),
    ])
    #expect(other.status == 0, "\(other)")
  }

  /// Beside other logs a name that none has may be mistyped.
  @Test func aMistypedNameBeginsNoLog() async throws {
    try cluster.sql("CREATE DATABASE names")
    func address(_ name: String) -> String {
      "postgresql://postgres@/names?host=\(cluster.folder)#\(name)"
    }
    let catalog = try TestCatalog()
    #expect(await catalog.run("init", "--log", address("sounds")).status == 0)
    try await catalog.importSeed(SampleSeed.text())
    for place in 0..<11 {
      let other = try TestCatalog()
      let begun = await other.run(
        "init", "--log", address("more-\(place)"), "--kind", "track-library")
      #expect(begun.status == 0, "\(begun)")
    }
    let mistyped = try TestCatalog()
    let refused = await mistyped.run("init", "--log", address("sonds"))
    #expect(
      refused.status == 64 && refused.errors.contains("more-0, more-1, more-10, more-2")
        && refused.errors.contains("and 2 more") && refused.errors.contains("--kind"),
      "\(refused)")
    #expect(!FileManager.default.fileExists(atPath: mistyped.path))
    let names = try cluster.sql("SELECT DISTINCT catalog FROM log_batch", in: "names")
    #expect(names.split(separator: "\n").count == 12 && names.contains("sounds"))
    let list = try mistyped.folder.write("sku\na\n", to: "list.csv")
    let tables = await mistyped.run(
      "init", "--table", "t=\(list)", "--key", "sku", "--log", address("sonds"))
    #expect(tables.status == 64 && tables.errors.contains("--kind NAME"), "\(tables)")
    #expect(await mistyped.run("init", "--log", address("sounds")).status == 0)
  }

  private func make(_ folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  /// Otherwise a second log would begin in the folder.
  @Test func anAddressThatCannotBeReadIsNoEmptyFolder() async throws {
    let catalog = try TestCatalog()
    let file = catalog.path + "/log.url"
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
    for command in [["init"], ["head"], ["doctor"]] {
      let outcome = await InProcess.run(command + ["--catalog", catalog.path])
      #expect(outcome.status != 0, "\(command): \(outcome)")
      #expect(
        (outcome.errors + outcome.output).contains("cannot be read"), "\(command): \(outcome)")
    }
    #expect(!FileManager.default.fileExists(atPath: catalog.path + "/events"))
  }

  /// A typing error would otherwise be a refusal of the server, much later.
  @Test func anUnknownLineAfterTheAddressIsRefused() async throws {
    let catalog = try TestCatalog()
    try FileManager.default.createDirectory(atPath: catalog.path, withIntermediateDirectories: true)
    try "postgresql:///db?host=/nowhere#x\naccept-los\n".write(
      toFile: catalog.path + "/log.url", atomically: true, encoding: .utf8)
    for command in ["init", "head", "doctor"] {
      let outcome = await InProcess.run([command, "--catalog", catalog.path])
      #expect(outcome.status != 0, "\(command): \(outcome)")
      #expect(
        (outcome.errors + outcome.output).contains("is not accept-loss"), "\(command): \(outcome)")
    }
  }

  /// A machine begins with the database of an archive, and reads from the server only what is newer.
  @Test func aFolderJoinsWithTheDatabaseOfAnArchive() async throws {
    let first = try await joined()
    try await first.importSeed(SampleSeed.text())
    let archive = first.folder.file("archive")
    #expect(await first.run("copy", archive).status == 0)
    #expect(await InProcess.run(["receipt", "--catalog", archive]).status == 0)
    #expect(await first.run("tag", "add", SampleSeed.id(201), "--mood", "Newer").status == 0)
    let second = try TestCatalog()
    try FileManager.default.createDirectory(
      atPath: second.path, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: archive + "/catalog.sqlite", toPath: second.path + "/catalog.sqlite")
    // The earlier rows cannot be read any more.
    let name = address.split(separator: "#")[1]
    let own = "catalog = '\(name)' AND first_seq = 2"
    let frame = try cluster.sql("SELECT encode(frame, 'hex') FROM log_batch WHERE \(own)")
    try cluster.sql("UPDATE log_batch SET frame = set_byte(frame, 150, 0) WHERE \(own)")
    #expect(await second.run("init", "--log", address).status == 0)
    #expect(await second.run("item", SampleSeed.id(201)).output.contains("Newer"))
    try cluster.sql("UPDATE log_batch SET frame = decode('\(frame)', 'hex') WHERE \(own)")
    #expect(await second.run("receipt").output == first.run("receipt").output)
    #expect(try await second.program("verify").status == 0)
    // The database of another catalog is refused.
    let other = try await TestCatalog.imported()
    try? FileManager.default.removeItem(atPath: other.events)
    let refused = await other.run("init", "--log", address)
    #expect(refused.status != 0, "\(refused)")
    #expect(!FileManager.default.fileExists(atPath: other.path + "/log.url"))
  }
}
