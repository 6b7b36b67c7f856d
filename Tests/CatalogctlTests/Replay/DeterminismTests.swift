import CatalogTestSupport
import Foundation
import Promises
import Testing

/// The road of the main job through the real program: import, read, rebuild twice, verify.
@Suite(
  .promise(
    "The same log makes the same bytes; two processes agree",
    by: "two rebuilds of the real program, in all surroundings"))
struct DeterminismTests {
  private let starter = Program.package + "/Seeds/starter.json"

  @Test func theStarterSeedIsImportedOnceAndVerified() async throws {
    let catalog = try TestCatalog()
    let first = try await catalog.program("import", starter)
    #expect(first.status == 0, "\(first)")
    let head = try await catalog.head()
    let bytes = try catalog.eventBytes()

    let again = try await catalog.program("import", starter)
    #expect(again.status == 0)
    #expect(again.output.contains("nothing new, 0 events"))
    #expect(try await catalog.head() == head)
    #expect(try catalog.eventBytes() == bytes)

    let verify = try await catalog.program("verify")
    #expect(verify.status == 0, "\(verify)")
    #expect(verify.output.hasPrefix("verified: two replays and the live database are identical: "))
    #expect(verify.errors.isEmpty)
  }

  @Test func zstdAndJqCountTheEventsThatTheImportReported() async throws {
    let catalog = try TestCatalog()
    let report = try await catalog.program("import", starter, "--format", "json")
    var expected = try #require(try report.object()["events"] as? [String: Int])
    expected["catalog.created"] = 1
    let counted = try await Program.shell(
      "set -o pipefail; zstd -dc \(catalog.events)/*.zst | jq -c .type | sort | uniq -c")
    #expect(counted.status == 0, "\(counted)")
    var counts: [String: Int] = [:]
    for line in counted.lines {
      let parts = line.split(separator: " ")
      counts[parts[1].filter { $0 != "\"" }] = Int(parts[0])
    }
    #expect(counts == expected)
  }

  @Test func rebuildingIntoFilesGivesTheSameBytes() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let files = ["one.sqlite", "two.sqlite"].map { catalog.folder.file($0) }
    #expect(try await catalog.program("rebuild", "--out", files[0]).status == 0)
    #expect(
      try await catalog.program(
        "rebuild", "--out", files[1],
        environment: ["TZ": "Asia/Kathmandu", "LC_ALL": "tr_TR.UTF-8"]
      ).status == 0)
    let compared = try await Program.run("cmp", files)
    #expect(compared.status == 0, "\(compared)")
  }

  @Test func aDeletedDatabaseComesBackWithTheSameReceipt() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let receipt = try await catalog.program("receipt").output
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: catalog.database + suffix)
    }
    #expect(try await catalog.program("rebuild").status == 0)
    #expect(try await catalog.program("receipt").output == receipt)
    // A reading command needs no rebuild either: it replays what the database lacks.
    try FileManager.default.removeItem(atPath: catalog.database)
    #expect(try await catalog.program("receipt").output == receipt)
  }

  @Test func verifyReportsAsJSON() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let head = try await catalog.head()
    let outcome = try await catalog.program("verify", "--format", "json")
    #expect(outcome.status == 0)
    let json = try outcome.object()
    #expect(
      Set(json.keys) == [
        "equal", "level", "sequence", "chain", "carriedEvents", "schema", "content", "tables",
        "rows", "findings", "unlisted",
        "receipt", "conflicts", "moreConflicts", "references",
      ])
    #expect(json["equal"] as? Bool == true)
    #expect(json["level"] as? String == "replays")
    #expect(json["carriedEvents"] as? Int == head.sequence)
    #expect(json["sequence"] as? Int == head.sequence)
    #expect(json["chain"] as? String == head.chain)
    #expect((json["findings"] as? [Any])?.isEmpty == true)
  }

  @Test func verifyThoroughlyCarriesEveryEvent() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let outcome = try await catalog.program("verify", "--thorough")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(
      outcome.output.hasPrefix("verified: two replays and the live database are identical: "))
    let json = try await catalog.program("verify", "--thorough", "--format", "json").object()
    #expect(json["level"] as? String == "thorough")
    let both = try await catalog.program("verify", "--thorough", "--quick")
    #expect(both.status == 64 && both.errors.contains("cannot be combined"))
  }

  @Test func verifyLeavesNothingBehind() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let temporary = try ScratchFolder()
    let names = try Set(ScratchFolder.contents(catalog.path).keys)
    let outcome = try await catalog.program("verify", environment: ["TMPDIR": temporary.path])
    #expect(outcome.status == 0, "\(outcome)")
    #expect(try ScratchFolder.contents(temporary.path).isEmpty)
    #expect(try Set(ScratchFolder.contents(catalog.path).keys).subtracting(names).isEmpty)
  }

  /// However that ends: nobody is there to take what the replay makes. Its sync takes long enough here, and left alone
  /// it would print a receipt then.
  @Test(.enabled(if: Strace.works, "strace cannot trace here"), .timeLimit(.minutes(5)))
  func aReplayEndsWithItsVerify() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let head = try await catalog.head()
    let ended = try await Program.shell(
      """
      sleep 1 | strace -f -o /dev/null -e trace=fsync -e inject=fsync:delay_enter=20000000 \
        '\(Program.catalogctl)' replay --catalog '\(catalog.path)' --mode memory \
        --through \(head.sequence) --out '\(catalog.folder.file("out.sqlite"))' --with-parent
      """)
    #expect(ended.status == 130, "\(ended)")
    #expect(ended.output.isEmpty)
  }

  @Test func anEqualReceiptIsVerified() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    for options in [[], ["--content"]] {
      let receipt = await InProcess.run(["receipt", "--catalog", catalog.path] + options).output
      let file = try catalog.folder.write(receipt, to: "receipt.json")
      let outcome = try await catalog.program("verify", file)
      // One of the content alone says nothing of the log, and is not taken for one that does.
      #expect(outcome.status == (options.isEmpty ? 0 : 1), "\(outcome)")
      #expect(outcome.errors.contains("say --content") != options.isEmpty, "\(outcome)")
      let content = try await catalog.program("verify", file, "--content")
      #expect(content.status == 0, "\(content)")
    }
  }

  @Test func aDifferentReceiptIsAFinding() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let content = try await catalog.receipt(content: true)
    let whole = try await catalog.receipt()
    try await catalog.importSeed(SampleSeed.text(revision: 2))
    let file = try catalog.folder.write(content, to: "receipt.json")
    let outcome = try await catalog.program("verify", file, "--content")
    #expect(outcome.status == 2)
    #expect(outcome.output.contains("receipt: content: library_item differs"), "\(outcome)")
    #expect(outcome.output.contains("(20 rows recorded, 21 now)"))
    #expect(
      !outcome.output.contains("rebuild"),
      "a rebuild cannot make another receipt of the same log: \(outcome)")

    try catalog.folder.write(whole, to: "receipt.json")
    // The log has only grown: nothing else is wrong.
    let grown = try await catalog.program("verify", file)
    let events = try await catalog.head().sequence - SharedCatalogs.sample.value.head().sequence
    #expect(
      grown.status == 2
        && grown.output.contains(
          "the log has all events of the receipt, and \(events) events since: `catalogctl receipt > \(file)`"
        ), "\(grown)")
    // One that was committed without its events.
    let ahead = try catalog.folder.write(await catalog.receipt(), to: "ahead.json")
    let behind = try await SharedCatalogs.sample.value.program("verify", ahead)
    #expect(
      behind.status == 2
        && behind.output.contains("the receipt counts \(events) events that the log lacks"),
      "\(behind)")
    let chain = try #require(whole.firstMatch(of: /"chain": "([0-9a-f]{64})"/)).output.1
    for (part, other) in [
      (String(chain), String(chain.reversed())),
      (try await catalog.head().logID, "00000000-0000-4000-8000-000000000000"),
    ] {
      let strange = try catalog.folder.write(
        whole.replacing(part, with: other), to: "strange.json")
      let outcome = try await catalog.program("verify", strange)
      #expect(outcome.status == 2 && !outcome.output.contains("all events of"), "\(outcome)")
    }
    let json = try await catalog.program("verify", file, "--format", "json")
    #expect(json.status == 2)
    let object = try json.object()
    #expect(object["equal"] as? Bool == false)
    #expect((object["findings"] as? [Any])?.isEmpty == true)
    let lines = try #require(object["receipt"] as? [String])
    #expect(lines.contains { $0.hasPrefix("log: recorded at event ") })
  }

  @Test func aReceiptThatWasChangedByHandIsSaid() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let receipt = try await catalog.receipt()
    let content = try #require(receipt.firstMatch(of: /"content": "[0-9a-f]{64}"/)).output
    for (changed, message) in [
      (receipt.replacing("\"rows\": 20,", with: "\"rows\": 19,"), "row count of library_item, 19"),
      (receipt.replacing(content, with: "\"content\": \"00\""), "digest of everything"),
    ] {
      let file = try catalog.folder.write(changed, to: "receipt.json")
      let outcome = try await catalog.program("verify", file)
      #expect(outcome.status == 2 && outcome.output.contains(message), "\(outcome)")
    }
  }

  /// A fresh import has another log and other times, and the same content.
  @Test func aFreshImportIsHeldToTheTimelessPart() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let file = try catalog.folder.write(await catalog.receipt(), to: "receipt.json")
    let fresh = try TestCatalog()
    let seed = try fresh.folder.write(SampleSeed.text(), to: "seed.json")
    _ = await InProcess.run([
      "import", seed, "--at", "2027-02-03T04:05:06Z", "--catalog", fresh.path,
    ])
    let exact = try await fresh.program("verify", file)
    #expect(exact.status == 2)
    #expect(exact.output.contains("receipt: log: the receipt is of log "), "\(exact)")
    let content = try await fresh.program("verify", file, "--content")
    #expect(content.status == 0, "\(content)")
    let alone = try await fresh.program("verify", "--content")
    #expect(alone.status == 64 && alone.errors.contains("needs a receipt"))
  }

  @Test func findingsBecomeAnnotations() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    let good = try await catalog.program("verify", "--format", "github")
    #expect(good.status == 0)
    #expect(good.lines.count == 1 && good.output.hasPrefix("::notice title=Catalog::verified: "))
    let receipt = try catalog.folder.write(await catalog.receipt(), to: "a,b:100%.json")
    try await catalog.importSeed(SampleSeed.text(revision: 2))
    try await catalog.sqlite(
      "UPDATE library_item SET title = '50%' || char(10) || 'off' WHERE id = '\(SampleSeed.id(201))'"
    )
    let outcome = try await catalog.program("verify", receipt, "--format", "github")
    #expect(outcome.status == 2)
    #expect(outcome.lines.allSatisfy { $0.hasPrefix("::error ") }, "\(outcome)")
    let drift = try #require(outcome.lines.first { $0.hasPrefix("::error title=Catalog live::") })
    #expect(drift.contains("'50%25") && drift.contains("last written by event "), "\(drift)")
    let name = catalog.folder.file("a%2Cb%3A100%25.json")
    #expect(
      outcome.lines.contains { $0.hasPrefix("::error file=\(name),title=Catalog receipt::log: ") })
    // An error that ends the command, too.
    let none = try catalog.folder.write("{}", to: "none.json")
    for words in [
      ["verify", none], ["check", "--contains", none], ["doctor", "--catalog", "/nowhere"],
      ["projection", "diff", "/nowhere"],
    ] {
      let catalog = words.contains("--catalog") ? [] : ["--catalog", catalog.path]
      let failed = await InProcess.run(words + ["--format", "github"] + catalog)
      #expect(failed.status != 0 && failed.output.hasPrefix("::error title="), "\(failed)")
    }
  }

  @Test func whatIsNoReceiptIsRefusedByName() async throws {
    let catalog = try await SharedCatalogs.sample.value.copy(hasHistory: false)
    for text in ["no receipt", "{}", "[]", SampleSeed.text()] {
      let file = try catalog.folder.write(text, to: "receipt.json")
      let outcome = await catalog.run("verify", file)
      #expect(outcome.status == 1)
      #expect(outcome.errors.hasPrefix("catalogctl: \(file): this is not a receipt"), "\(outcome)")
      #expect(!outcome.errors.contains("CodingKeys"), "\(outcome)")
    }
  }
}
