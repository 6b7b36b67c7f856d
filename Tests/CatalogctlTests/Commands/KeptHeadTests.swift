import CatalogTestSupport
import Promises
import Testing

@Suite(
  .promise("A log that only grew contains each of its earlier heads, and no other log does"))
struct KeptHeadTests {
  @Test func aLogThatGrewContainsEachOfItsHeads() async throws {
    let catalog = try await TestCatalog.imported()
    let head = try await catalog.head()
    let line = "\(head.sequence) \(head.chain)"
    let json = await catalog.run("head", "--format", "json").output
    let receipt = await catalog.run("receipt").output
    let spellings = [
      line, "\(head.sequence):\(head.chain)",
      try catalog.folder.write(line + "\n", to: "head"),
      try catalog.folder.write(json, to: "head.json"),
      try catalog.folder.write(receipt, to: "receipt.json"),
    ]
    for hasGrown in [false, true] {
      if hasGrown {
        #expect(
          await catalog.run("tag", "add", SampleSeed.id(201), "--mood", "Cozy").status == 0)
        #expect(try await catalog.head().sequence > head.sequence)
      }
      for place in [["--catalog", catalog.path], ["--events", catalog.events]] {
        for kept in spellings {
          let outcome = await InProcess.run(["check", "--contains", kept] + place)
          #expect(outcome.status == 0, "\(kept) \(outcome)")
          #expect(outcome.lines.last == "it contains \(line)", "\(kept) \(outcome)")
        }
      }
    }
  }

  @Test func otherEventsAreNotContained() async throws {
    let catalog = try await TestCatalog.imported()
    let other = try await TestCatalog.imported()
    let head = try await catalog.head()
    #expect(await catalog.run("tag", "add", SampleSeed.id(201), "--mood", "Cozy").status == 0)
    let end = try await catalog.head()
    for kept in [
      "\(head.sequence) \(try await other.head().chain)", "\(head.sequence - 1) \(head.chain)",
      "\(end.sequence) \(head.chain)", "\(end.sequence + 1) \(end.chain)",
    ] {
      let outcome = await catalog.run("check", "--contains", kept)
      #expect(outcome.status == 3, "\(kept) \(outcome)")
      #expect(outcome.errors.contains("does not contain \(kept.prefix(3))"), "\(outcome)")
      let json = await catalog.run("check", "--contains", kept, "--format", "json")
      #expect(json.status == 3, "\(json)")
      // No rebuilt database brings the events back.
      let line = await catalog.run("check", "--contains", kept, "--format", "github")
      #expect(!line.output.contains("rebuild") && line.output.contains("::error"), "\(line)")
      #expect(try json.object()["whole"] as? Bool == false, "\(json)")
    }
    for (kept, status, words) in [
      ("5", 64, "is not a head"), ("0 \(head.chain)", 64, "a sequence above 0"),
      ("\(head.sequence) \(head.chain.dropLast())", 64, "64 hex digits"),
      ("no-such-file", 1, "does not exist"),
    ] {
      let outcome = await catalog.run("check", "--contains", kept)
      #expect(outcome.status == status && outcome.output.isEmpty, "\(kept) \(outcome)")
      #expect(outcome.errors.contains(words), "\(kept) \(outcome)")
    }
    let empty = try catalog.folder.write("{}", to: "empty.json")
    let refused = await catalog.run("check", "--contains", empty)
    #expect(refused.status == 1 && refused.errors.contains("head > FILE"), "\(refused)")
  }
}
