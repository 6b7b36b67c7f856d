import CatalogControl
import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Spellings that people bring from other programs, and those of earlier releases.
@Suite(
  .promise(
    "An error names the option, the format or the command that was meant",
    by: "former and foreign spellings"))
struct TypedArgumentsTests {
  @Test func optionsBeforeTheCommandWorkAsAfterIt() async throws {
    let catalog = try await SharedCatalogs.sample.value
    let path = catalog.path
    for (before, after) in [
      (["--catalog", path, "head"], ["head", "--catalog", path]),
      (
        ["--catalog=\(path)", "--format", "json", "tag", "list", "moods"],
        ["tag", "list", "moods", "--catalog", path, "--format", "json"]
      ),
      (
        ["-q", "--catalog", path, "--json", "packs"],
        ["packs", "--catalog", path, "--format", "json"]
      ),
      (
        ["--json", "--catalog", path, "history", "count", "SELECT count(*) FROM mood"],
        ["history", "count", "SELECT count(*) FROM mood", "--catalog", path, "--format=JSON"]
      ),
    ] {
      let (first, second) = (await InProcess.run(before), await InProcess.run(after))
      #expect(first.status == 0, "\(before): \(first)")
      #expect(first.output == second.output, "\(before): \(first)\n\(second)")
    }
    for (arguments, words) in [
      (["--catalog", path, "hlep"], "there is no command \"hlep\""),
      (["--catalog", path, "tag", "lst"], "there is no command \"lst\" of tag"),
    ] {
      let outcome = await InProcess.run(arguments)
      #expect(outcome.status == 64 && outcome.errors.contains(words), "\(arguments): \(outcome)")
    }
  }

  @Test func optionsAloneLackACommand() async throws {
    let path = try await SharedCatalogs.sample.value.path
    for (arguments, words) in [
      (["--catalog", path], "a command is missing"), (["--catalog"], "a command is missing"),
      (["--quiet"], "a command is missing"), (["--json"], #""message":"a command is missing""#),
      (["--catalog", path, "tag"], "a command is missing after tag"),
      (["tag", "--catalog=\(path)"], "a command is missing after tag"),
    ] {
      let outcome = await InProcess.run(arguments)
      #expect(outcome.status == 64 && outcome.errors.contains(words), "\(arguments): \(outcome)")
      #expect(outcome.output.isEmpty && !outcome.errors.contains("Unknown option"), "\(outcome)")
    }
    for words in [["help", "tag"], ["tag", "--help"], ["music"]] {
      let plain = await InProcess.run(words + (words == ["music"] ? ["--catalog", path] : []))
      let outcome = await InProcess.run(["--catalog", path] + words)
      #expect(outcome.status == 0 && outcome.output == plain.output, "\(words): \(outcome)")
    }
  }

  @Test func linesAndTablesLeaveNothingOutSilently() async throws {
    let catalog = try await TestCatalog.imported()
    let twice = await catalog.run("query", "SELECT 1 AS a, 2 AS a", "--format", "jsonl")
    #expect(twice.status == 64 && twice.errors.contains("two columns of the answer are called a"))
    let table = await catalog.run("query", "SELECT 1 AS a, 2 AS a", "--format", "csv")
    #expect(table.output == "a,a\n1,2\n", "\(table)")
    #expect(await catalog.run("query", "SELECT 1 AS a, 2 AS a", "--csv").output == table.output)
    let items = await catalog.run("items", "sfx", "--limit", "1", "--format", "csv")
    #expect(items.errors.contains("total: in --format json alone"), "\(items)")
    let event = await catalog.run("event", "head", "--format", "csv")
    let log = await catalog.run("log", "--newest", "--limit", "1", "--format", "csv")
    #expect(event.status == 0 && event.output == log.output, "\(event)")
  }

  /// Its list alone would be another answer.
  @Test func anAnswerThatIsOneObjectStaysWhole() async throws {
    let catalog = try await SharedCatalogs.sample.value
    let line = await catalog.run("status", "--format", "jsonl")
    let whole = try await catalog.run("status", "--format", "json").object()
    #expect(line.status == 0 && line.lines.count == 1 && line.errors.isEmpty, "\(line)")
    #expect(try line.object() as NSDictionary == whole as NSDictionary)
    let table = await catalog.run("status", "--format", "csv")
    #expect(table.status == 64 && table.errors.contains("csv is for lists of rows"), "\(table)")
    #expect(table.output.isEmpty)
  }

  @Test func theTimeOfTheHeadIsThatOfItsEvent() async throws {
    let catalog = try await TestCatalog.imported()
    let seed = try catalog.folder.write(SampleSeed.text(revision: 2), to: "seed.json")
    #expect(await catalog.run("import", seed, "--at", "2001-02-03T04:05:06Z").status == 0)
    let status = try await catalog.run("status", "--format", "json").object()
    #expect(status["at"] as? String == "2001-02-03T04:05:06.000Z", "\(status)")
  }

  /// The parser would take the first character for that of an option.
  @Test func agesAreReadInThePlacesOfMomentsAlone() async throws {
    let catalog = try await SharedCatalogs.sample.value
    for arguments in [
      ["diff", "-7d..head"], ["changes", "-7d..head"], ["diff", "-7d"],
      ["query", "--at", "-7d", "SELECT 1"], ["log", "-7d"],
    ] {
      let outcome = await InProcess.run(arguments + ["--catalog", catalog.path])
      #expect(outcome.status == 0, "\(arguments): \(outcome)")
      #expect(!outcome.output.contains("OVERVIEW"), "\(arguments): \(outcome)")
    }
    let folder = try ScratchFolder()
    let former = await InProcess.run([
      "materialize", "--at", "-7d", folder.file("then.sqlite"), "--catalog", catalog.path,
    ])
    #expect(former.status == 0 && folder.exists("then.sqlite"), "\(former)")
    let missing = await InProcess.run(["log", "--grep", "-5d", "--catalog", catalog.path])
    #expect(missing.status == 64 && !missing.errors.contains("now-5d"), "\(missing)")
    let found = await InProcess.run(["log", "--grep=-8", "--limit", "1", "--catalog", catalog.path])
    #expect(found.status == 0 && !found.output.isEmpty, "\(found)")
    let key = await InProcess.run(["blame", "library_item", "-7d", "--catalog", catalog.path])
    #expect(key.status == 64, "\(key)")
  }

  @Test func aCountMayFollowItsOptionAtOnce() async throws {
    let catalog = try await SharedCatalogs.sample.value
    let wanted = await catalog.run("log", "-n", "2")
    #expect(wanted.status == 0 && wanted.lines.count == 2)
    for words in [["log", "-n2"], ["-q", "log", "-n2"], ["log", "--limit", "2"]] {
      let outcome = await InProcess.run(words + ["--catalog", catalog.path])
      #expect(outcome.output == wanted.output, "\(words): \(outcome)")
    }
    #expect(await catalog.run("log", "-n").status == 64)
    // After the mark every word is an argument.
    let found = await InProcess.run(["search", "--catalog", catalog.path, "--", "-n2"])
    #expect(found.status == 0, "\(found)")
  }

  @Test(arguments: [["-V"], ["version"], ["--version"]])
  func theVersionHasThreeNames(arguments: [String]) async throws {
    let outcome = await InProcess.run(arguments)
    #expect(
      outcome.status == 0 && outcome.output == "\(CatalogControl.version)\n", "\(outcome)")
  }

  /// Each of them works, and says what to type from now on.
  @Test func optionsThatBecameArgumentsWorkForThisRelease() async throws {
    let catalog = try await TestCatalog.imported()
    let receipt = try catalog.folder.write(try await catalog.receipt(), to: "r.json")
    func file(_ name: String) -> String { catalog.folder.file(name) }
    let sql = "SELECT count(*) FROM mood"
    for (old, new, option) in [
      (["bisect", "--sql", sql, "--all"], ["bisect", sql, "--all"], "--sql"),
      (["bisect", "--all", "--sql=\(sql)"], ["bisect", sql, "--all"], "--sql"),
      (["history", "count", "--sql", sql], ["history", "count", sql], "--sql"),
      (
        ["what-if", "--without", "head", "--summary"], ["what-if", "head", "--summary"],
        "--without"
      ),
      (
        ["verify", "--receipt", receipt, "--content"], ["verify", receipt, "--content"],
        "--receipt"
      ),
      (
        ["materialize", "--at", "head", file("a.sqlite"), "--json"],
        ["materialize", "head", file("a2.sqlite"), "--json"], "--at"
      ),
      (
        ["materialize", file("b.sqlite"), "--json", "--at", "head"],
        ["materialize", "head", file("b2.sqlite"), "--json"], "--at"
      ),
      (["report", "--out", file("c.html")], ["report", file("c2.html")], "--out"),
      (["bisect", "--all", "--sql", "-- a comment\n\(sql)"], ["bisect", "--all", sql], "--sql"),
    ] {
      let first = await InProcess.run(old + ["--catalog", catalog.path])
      let second = await InProcess.run(new + ["--catalog", catalog.path])
      #expect(first.status == second.status && first.status != 64, "\(old): \(first)")
      let plain = ["a", "b", "c"].reduce(second.output) {
        $0.replacing("/\($1)2.", with: "/\($1).")
      }
      #expect(first.output == plain, "\(old): \(first)\n\(second)")
      #expect(first.errors.contains("catalogctl: \(option) became an argument"), "\(first)")
      #expect(!second.errors.contains("became an argument"), "\(new): \(second)")
    }
  }

  @Test func quietLeavesWarningsAndErrors() async throws {
    let catalog = try await SharedCatalogs.sample.value
    let loud = await catalog.run("query", "SELECT 1")
    #expect(loud.errors == "1 row\n")
    for option in ["-q", "--quiet"] {
      let quiet = await catalog.run("query", "SELECT 1", option)
      #expect(quiet.output == loud.output && quiet.errors.isEmpty, "\(quiet)")
      let wrong = await catalog.run("query", "SELCT 1", option)
      #expect(wrong.status == 1 && wrong.errors.contains("syntax error"), "\(wrong)")
    }
    let items = await catalog.run("items", "sfx", "-n", "1", "-q")
    #expect(items.lines.count == 1 && items.errors.isEmpty, "\(items)")
  }

  @Test func listsAreLinesAndTables() async throws {
    let catalog = try await SharedCatalogs.sample.value
    let question = "SELECT id, name FROM mood ORDER BY id LIMIT 2"
    let csv = await catalog.run("query", question, "--format", "csv")
    #expect(csv.status == 0 && csv.lines.first == "id,name" && csv.lines.count == 3, "\(csv)")
    let lines = await catalog.run("query", question, "--format", "jsonl")
    let names = try lines.lines.map {
      try #require(
        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])["name"] as? String
    }
    #expect(names.count == 2 && csv.lines.last?.hasSuffix(names[1] ?? "?") == true, "\(lines)")
    let items = await catalog.run("items", "sfx", "-n", "2", "--format", "csv")
    #expect(items.lines.count == 3 && items.lines[0].contains("title"), "\(items)")
    let jsonl = await catalog.run("items", "sfx", "-n", "2", "--format", "jsonl")
    #expect(jsonl.lines.count == 2 && jsonl.lines.allSatisfy { $0.hasPrefix("{") }, "\(jsonl)")
    let log = await catalog.run("log", "--format", "csv", "-n", "1")
    #expect(log.lines.first == "sequence,at,type,by,op,data" && log.lines.count == 2, "\(log)")
    let head = await catalog.run("head", "--format", "csv")
    #expect(head.lines.first == "sequence,chain,logId" && head.lines.count == 2, "\(head)")
    let stats = await catalog.run("stats", "--format", "csv")
    #expect(stats.status == 64 && stats.errors.contains("csv is for lists of rows"), "\(stats)")
    #expect(stats.output.isEmpty)
  }

  @Test func shortNamesAreThoseOfLongOnes() async throws {
    let catalog = try await TestCatalog.imported()
    let log = await catalog.run("log", "-n", "1")
    #expect(log.status == 0 && log.lines.count == 1, "\(log)")
    let seed = try catalog.folder.write(SampleSeed.text(revision: 2), to: "two.json")
    let planned = await catalog.run("import", "-n", seed)
    #expect(planned.status == 2, "\(planned)")
    let all = await catalog.run("diff", "start", "head", "-v", "--summary")
    #expect(all.output.contains("projection_"), "\(all)")
  }
}
