import CatalogTestSupport
import Foundation
import Promises
import Testing

/// A log that was replaced by an older one, as a checkout in git does it.
@Suite(
  .promise("A log that was replaced, as by a checkout, is taken by `rebuild --discard` alone"))
struct ReplacedLogTests {
  /// A catalog with two imports, and a copy of it from before the second one.
  private func branches() async throws -> (TestCatalog, old: TestCatalog) {
    let catalog = try await TestCatalog.imported()
    let old = try catalog.copy()
    let outcome = try await catalog.importSeed(SampleSeed.text(revision: 2))
    try #require(outcome.status == 0, "\(outcome)")
    return (catalog, old)
  }

  private func replaceLog(of catalog: TestCatalog, by old: TestCatalog) throws {
    try FileManager.default.removeItem(atPath: catalog.events)
    try FileManager.default.copyItem(atPath: old.events, toPath: catalog.events)
  }

  @Test func discardTakesTheLogThatIsThere() async throws {
    let (catalog, old) = try await branches()
    #expect(await catalog.run("changes", "head").status == 0)
    try replaceLog(of: catalog, by: old)
    for command in [["items", "sfx"], ["rebuild"], ["history", "make"]] {
      let refused = await InProcess.run(command + ["--catalog", catalog.path])
      #expect(refused.status == 3, "\(refused)")
      #expect(refused.errors.contains("`catalogctl rebuild --discard`"), "\(refused)")
    }
    let taken = await catalog.run("rebuild", "--discard")
    #expect(taken.status == 0, "\(taken)")
    #expect(try await catalog.receipt(content: true) == old.receipt(content: true))
    #expect(try await catalog.program("verify").status == 0)
    let titles = await catalog.run(
      "query", "--at", "head", "SELECT count(*) FROM library_item WHERE title LIKE '%again'")
    #expect(titles.lines.last == "0", "the history is of the older log: \(titles)")
    let refused = await catalog.run("rebuild", "--discard", "--out", "x.sqlite")
    #expect(refused.status == 64, "\(refused)")
  }

  /// The log must be able to make the database again.
  @Test func discardKeepsTheDatabaseOfADamagedLog() async throws {
    let catalog = try await TestCatalog.imported()
    let bytes = try Data(contentsOf: URL(filePath: catalog.firstSegment))
    var damaged = bytes
    damaged[bytes.count / 2] ^= 1
    try damaged.write(to: URL(filePath: catalog.firstSegment))
    let refused = await catalog.run("rebuild", "--discard")
    #expect(refused.status == 3, "\(refused)")
    #expect(FileManager.default.fileExists(atPath: catalog.database))
  }

  @Test func appendOnlyIsAboutTheLogsAlone() async throws {
    let (catalog, old) = try await branches()
    let appended = await InProcess.run(["diverge", old.path, catalog.path, "--append-only"])
    #expect(appended.status == 0 && appended.output.contains("continues"), "\(appended)")
    let same = await InProcess.run(["diverge", old.path, old.path, "--append-only"])
    #expect(same.status == 0 && same.output.contains("0 events after"), "\(same)")
    let back = await InProcess.run(["diverge", catalog.path, old.path, "--append-only"])
    #expect(back.status == 2 && back.output.contains("are missing"), "\(back)")

    let branch = try old.copy()
    for number in 1...3 {
      let added = await branch.run("tag", "add", SampleSeed.id(201), "--mood", "Mood \(number)")
      try #require(added.status == 0, "\(added)")
    }
    let own = await old.run("tag", "add", SampleSeed.id(201), "--mood", "Calm")
    try #require(own.status == 0, "\(own)")
    let diverged = await InProcess.run(["diverge", old.path, branch.path, "--append-only"])
    #expect(diverged.status == 2 && diverged.output.contains("does not continue"), "\(diverged)")
    // One that is shorter and has other events is no beginning of the longer one.
    let shorter = await InProcess.run(["diverge", branch.path, old.path, "--append-only"])
    #expect(shorter.status == 2 && shorter.output.contains("does not continue"), "\(shorter)")
    let stranger = try await TestCatalog.imported()
    let other = await InProcess.run(["diverge", old.path, stranger.path, "--append-only"])
    #expect(other.status == 2 && other.output.contains("another log"), "\(other)")
    #expect(
      !FileManager.default.fileExists(atPath: stranger.path + "/history.sqlite"),
      "no history was made")
    let json = await InProcess.run(
      ["diverge", old.path, branch.path, "--append-only", "--format", "json"])
    #expect(json.status == 64, "\(json)")
    let check = ["diverge", old.path, branch.path, "--append-only", "--format", "github"]
    let found = await InProcess.run(check)
    #expect(found.status == 2 && found.lines.count == 1, "\(found)")
    #expect(found.output.hasPrefix("::error title=Catalog log::"), "\(found)")
    #expect(await InProcess.run(["diverge", old.path, branch.path] + check.suffix(2)).status == 64)
    // What was appended has to be whole, also before its end.
    let start = try catalog.copy()
    let end = try Data(contentsOf: URL(filePath: catalog.firstSegment)).count
    for mood in ["One", "Two"] {
      let added = await catalog.run("tag", "add", SampleSeed.id(201), "--mood", mood, "--new")
      try #require(added.status == 0, "\(added)")
    }
    var bytes = try Data(contentsOf: URL(filePath: catalog.firstSegment))
    let second = try #require(bytes[(end + 1)...].firstRange(of: bytes[end..<end + 4])).lowerBound
    bytes[second - 9] ^= 1
    try bytes.write(to: URL(filePath: catalog.firstSegment))
    let damaged = await InProcess.run(["diverge", start.path, catalog.path, "--append-only"])
    #expect(damaged.status == 3 && damaged.output.isEmpty, "\(damaged)")
  }
}

/// Near misses that would change or hide something.
@Suite(
  .promise("An error names the option, the format or the command that was meant"))
struct NearMissTests {
  @Test func aValueThatLooksLikeAnotherIsMadeOnlyIfAsked() async throws {
    let catalog = try await TestCatalog.imported()
    let before = try await catalog.head()
    for name in ["cozy", "COZY", "Cózy"] {
      let refused = await catalog.run("tag", "add", SampleSeed.id(201), "--mood", name)
      #expect(refused.status == 64, "\(refused)")
      #expect(refused.errors.contains("has \"Cozy\": name that, or add --new"), "\(refused)")
    }
    #expect(try await catalog.head() == before)
    let made = await catalog.run("tag", "add", SampleSeed.id(201), "--mood", "cozy", "--new")
    #expect(made.status == 0, "\(made)")
    let again = await catalog.run("tag", "add", SampleSeed.id(202), "--mood", "cozy")
    #expect(again.status == 0, "it exists now: \(again)")
  }

  @Test func theLargestStepsAreListed() async throws {
    let catalog = try await TestCatalog.imported()
    for name in ["A", "B", "C"] {
      let added = await catalog.run("tag", "add", SampleSeed.id(201), "--mood", name)
      try #require(added.status == 0, "\(added)")
    }
    let sql = "SELECT count(*) FROM mood"
    let all = try await catalog.run("history", "count", sql, "--format", "json").objects()
    let largest = try await catalog.run(
      "history", "count", sql, "--largest", "1", "--format", "json"
    ).objects()
    #expect(all.count == 5 && largest.count == 1)
    #expect(largest[0]["value"] as? Int == 2, "the import made two at once: \(largest)")
    let none = await catalog.run("history", "count", sql, "--largest", "0")
    #expect(none.status == 64, "\(none)")
  }

  @Test(arguments: [
    ("notes.md", "# Notes", "this is not JSON; import takes seed documents"),
    ("list.csv", "a,b\n1,2\n", "this is a table"),
  ])
  func importNamesTheFormatOfAFile(name: String, text: String, says: String) async throws {
    let catalog = try await TestCatalog.imported()
    let file = try catalog.folder.write(text, to: name)
    let outcome = await catalog.run("import", file)
    #expect(outcome.status == 1 && outcome.errors.contains(says), "\(outcome)")
  }
}

/// Commands of a kind that the catalog is not of.
@Suite(
  .promise(
    "A catalog of an unknown kind is read, checked, sealed and saved as far as its bytes "
      + "go; a command of another kind writes nothing"))
struct OtherKindTests {
  @Test func anErrorSaysWhereTheCatalogsCommandsAre() async throws {
    for (kind, command) in [("concert-archive", "shows"), ("track-library", "tracks")] {
      let catalog = try TestCatalog()
      let made = await catalog.run("init", "--kind", kind)
      try #require(made.status == 0, "\(made)")
      let outcome = await catalog.run("items", "sfx")
      #expect(outcome.status == 1, "\(outcome)")
      #expect(
        outcome.errors.hasSuffix(
          "`catalogctl \(command) --help` lists the commands of this kind\n"),
        "\(outcome)")
    }
    let sounds = try await SharedCatalogs.sample.value
    let outcome = await sounds.run("shows", "list")
    #expect(outcome.status == 1 && !outcome.errors.contains("--help"), "\(outcome)")
  }

  @Test func helpNamesTheKinds() async throws {
    let help = await InProcess.run(["init", "--help"]).output
    for kind in ["sound-library", "concert-archive", "track-library"] {
      #expect(help.contains(kind), "\(help)")
    }
  }
}
