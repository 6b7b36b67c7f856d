import CatalogTestSupport
import Foundation
import Promises
import Testing

/// `what-if` as a person sees it.
@Suite(
  .promise(
    "Without an operation the catalog is what the projector makes of all other events; the "
      + "folder stays as it is"))
struct WhatIfCommandTests {
  @Test func theRowsAndContradictionsOfAnOperationAreShown() async throws {
    let catalog = try await TestCatalog.imported()
    let imported = try await catalog.head().sequence
    let item = SampleSeed.id(201)
    #expect(await catalog.run("tag", "add", item, "--mood", "Elsewhere").status == 0)
    let last = try await catalog.head().sequence
    #expect(await catalog.run("history", "make").status == 0)
    let event = try await catalog.run("event", "\(last)", "--format", "json").object()
    let operation = try #require(event["op"] as? String)
    let before = try ScratchFolder.contents(catalog.path)

    for name in [operation, String(operation.prefix(8)), "\(imported + 1)..\(last)"] {
      let outcome = await catalog.run("what-if", name)
      #expect(outcome.status == 2, "\(outcome)")
      #expect(outcome.output.contains("mood: 0 added, 1 removed, 0 changed\n"), "\(outcome)")
      #expect(outcome.output.contains("item_mood: 0 added, 1 removed, 0 changed\n"))
      #expect(outcome.output.contains("(Elsewhere)"), "ids have no names")
      #expect(outcome.output.contains("operation \(operation)"))
      #expect(!outcome.output.contains("contradict"))
      #expect(outcome.errors.hasPrefix("without: events \(imported + 1) to \(last), operation "))
      for more in [["--no-history"], ["--events", catalog.events]] {
        let replayed = await InProcess.run(
          ["what-if", name] + more
            + (more[0] == "--events" ? [] : ["--catalog", catalog.path]))
        #expect(replayed.output == outcome.output && replayed.status == 2, "\(replayed)")
      }
    }
    #expect(try ScratchFolder.contents(catalog.path) == before, "a file of the catalog changed")

    let seed = await catalog.run("what-if", "2..\(imported)", "--rows", "1")
    #expect(seed.status == 2)
    #expect(seed.output.contains("1 later event would contradict the catalog:\n"), "\(seed)")
    #expect(seed.output.contains("(item.tags.set): there is no item \(item)\n"))
    let summary = await catalog.run("what-if", "2..\(imported)", "--summary")
    #expect(!summary.output.contains("(item.tags.set)"))
    let table = await catalog.run("what-if", operation, "--table", "mood")
    #expect(!table.output.contains("item_mood"))
  }

  @Test func whatIsNoOperationIsRefused() async throws {
    let catalog = try await TestCatalog.imported()
    let head = try await catalog.head().sequence
    for (name, status, message) in [
      ("1", Int32(1), "event 1 says what this is a catalog of"),
      (
        "3", 1,
        "events 2 to \(head) are one batch, and a batch is taken as a whole: name 2..\(head)"
      ),
      ("\(head + 1)", 1, "there is no event \(head + 1)"),
      ("00000000", 1, "the log has no operation 00000000"),
      ("last monday", 64, "head~3..head"),
      ("yesterday", 1, "yesterday has no event"),
    ] {
      let outcome = await catalog.run("what-if", name)
      #expect(outcome.status == status && outcome.errors.contains(message), "\(name): \(outcome)")
    }
  }
}
