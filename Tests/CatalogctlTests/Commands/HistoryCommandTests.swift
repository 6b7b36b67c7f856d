import CatalogTestSupport
import EventLog
import Foundation
import Promises
import Testing

/// `head`, `log` and `event`.
@Suite(
  .promise(
    "`head`, `log` and `event` show the log as it is stored, and `head` is the same "
      + "without the argument parser"))
struct HistoryCommandTests {
  @Test func headIsSequenceAndChainHash() async throws {
    let catalog = try await TestCatalog.imported()
    let head = try await catalog.head()
    let outcome = await catalog.run("head")
    #expect(outcome.status == 0)
    #expect(outcome.output == "\(head.sequence) \(head.chain)\n")
    #expect(outcome.errors.isEmpty)
    #expect(head.chain.count == 64)
    let json = try await catalog.run("head", "--format", "json").object()
    #expect(Set(json.keys) == ["chain", "logId", "sequence"])
  }

  @Test func theLogIsOneLineAnEvent() async throws {
    let catalog = try await TestCatalog.imported()
    let head = try await catalog.head()
    let outcome = await catalog.run("log")
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    #expect(outcome.lines.count == head.sequence)
    #expect(
      outcome.lines[0].hasPrefix(
        "1  2026-01-31T12:00:00.000Z  catalog.created  seed:sample  {\"kind\":"))
    #expect(outcome.lines[1].contains("  seed.imported  seed:sample  {"))
  }

  @Test func theLogAsJSONIsTheStoredLines() async throws {
    let catalog = try await TestCatalog.imported()
    let outcome = await catalog.run("log", "--format", "json")
    let stored = try await Program.run("zstd", ["-dcq", catalog.firstSegment])
    #expect(outcome.output == stored.output)
    for (index, line) in outcome.lines.enumerated() {
      let event = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      #expect(Set(event.keys) == ["seq", "at", "type", "v", "op", "by", "data"])
      #expect(event["seq"] as? Int == index + 1)
    }
  }

  @Test func theLogIsFilteredByTypeAndSequenceAndCut() async throws {
    let catalog = try await TestCatalog.imported(revision: 1)
    try await catalog.importSeed(SampleSeed.text(revision: 2))
    let all = await catalog.run("log", "--format", "json").lines
    let upserted = await catalog.run("log", "--type", "item.upserted", "--format", "json").lines
    #expect(upserted == all.filter { $0.contains("\"type\":\"item.upserted\"") })
    #expect(upserted.count == 22)
    let after = await catalog.run("log", "--after", "5", "--limit", "3", "--format", "json").lines
    #expect(after == Array(all[5..<8]))
    let last = await catalog.run("log", "--after", "\(all.count - 1)", "--format", "json").lines
    #expect(last == [all[all.count - 1]])
    // Whether later ones are left out is said to a person.
    for (words, hasMore) in [
      (["-n", "3"], true), (["-n", "\(all.count)"], false), (["--newest", "-n", "3"], false),
      (["--after", "5", "--through", "8", "-n", "3"], false),
      (["--type", "item.upserted", "-n", "22"], false),
      (["--type", "item.upserted", "-n", "21"], true), (["-n", "3", "--format", "json"], false),
      (["--operations", "-n", "1"], true), (["--operations", "-n", "2", "--newest"], false),
    ] {
      let shown = await InProcess.run(["log", "--catalog", catalog.path] + words)
      #expect(
        shown.errors.contains("the oldest; --newest begins with the last one") == hasMore,
        "\(words): \(shown.errors)")
    }
  }

  /// The range of an operation is the one that a revert takes, whichever of its events were asked for.
  @Test func anOperationIsNamedByAllItsEvents() async throws {
    let catalog = try await TestCatalog.imported()
    let all = try await catalog.run("log", "--operations", "--format", "json").objects()
    let some = try await catalog.run(
      "log", "--operations", "--type", "item.upserted", "--format", "json"
    ).objects()
    let (own, found) = (try #require(all.last), try #require(some.last))
    for key in ["op", "firstSequence", "lastSequence"] {
      #expect("\(own[key] ?? "")" == "\(found[key] ?? "")", "\(key): \(found)")
    }
    let types = try #require(own["types"] as? [String: Int])
    #expect(found["events"] as? Int == types["item.upserted"], "\(found)")
  }

  @Test(arguments: ["head", "100000", "18446744073709551615"])
  func nothingComesAfterTheHead(after: String) async throws {
    let catalog = try await TestCatalog.imported()
    let sequence = after == "head" ? String(try await catalog.head().sequence) : after
    let outcome = await catalog.run("log", "--after", sequence)
    #expect(outcome.status == 0)
    #expect(outcome.output.isEmpty)
  }

  @Test func everyEventCanBeShown() async throws {
    let catalog = try await TestCatalog.imported()
    let lines = await catalog.run("log", "--format", "json").lines
    for (index, line) in lines.enumerated() {
      let outcome = await catalog.run("event", "\(index + 1)", "--format", "json")
      #expect(outcome.status == 0)
      #expect(outcome.output == line + "\n")
    }
  }

  /// An operation whose id begins with digits is named as any other one.
  @Test func digitsThatAreNoEventNameAnOperation() async throws {
    let catalog = try await TestCatalog.imported()
    var digits: Substring?
    // Six characters in a row are digits in one of 17 ids.
    for number in 0..<400 where digits == nil {
      let tagged = await catalog.run(
        "tag", "add", SampleSeed.id(201), "--mood", "Mood \(number)")
      try #require(tagged.status == 0, "\(tagged)")
      let last = try await catalog.run("event", "head", "--format", "json").object()
      let start = try #require(last["op"] as? String).prefix(6)
      if start.allSatisfy(\.isNumber), start.first != "0" { digits = start }
    }
    let name = String(try #require(digits))
    let outcome = await catalog.run("event", name)
    #expect(
      outcome.status == 64 && outcome.errors.contains("operation \(name) has the events"),
      "\(outcome)")
    let listed = await catalog.run("log", name)
    #expect(listed.lines.count == 2 && !listed.errors.contains("alone"), "\(listed)")
  }

  @Test func anEventIsShownWithItsBatchAndPlace() async throws {
    let catalog = try await TestCatalog.imported()
    let head = try await catalog.head()
    let outcome = await catalog.run("event", "2")
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("\"type\" : \"seed.imported\""))
    #expect(
      outcome.lines.contains("batch: events 2 to \(head.sequence), chain \(head.chain)"))
    let place = try #require(outcome.lines.first { $0.hasPrefix("stored: ") })
    #expect(place.contains("00000000000000000001.jsonl.zst, offset "))
  }

  /// Of a batch of some frames: each line is found by its place, whatever lines say of themselves.
  @Test(arguments: [false, true])
  func anEventInTheMiddleOfALongBatchIsShown(lies: Bool) async throws {
    let folder = try ScratchFolder()
    let events = folder.file("events")
    let writer = try EventLogWriter(
      directory: events, logID: LogID(bytes: Array(0..<16)), holder: "a test")
    var batch = try writer.makeBatch(expecting: writer.head)
    let padding = String(repeating: "la", count: 150)
    let lines = (1...12_000).map { number in
      #"{"seq":\#(lies && number > 4_000 ? 7 : number),"at":"\#(number)","text":"\#(padding)"}"#
    }
    for line in lines { try Array(line.utf8).withUnsafeBytes { try batch.append(line: $0) } }
    _ = try writer.append(batch)
    writer.close()
    for number in [1, 2, 3_333, 4_000, 4_001, 8_192, 11_999, 12_000] {
      let outcome = await InProcess.run([
        "event", "\(number)", "--format", "json", "--events", events,
      ])
      #expect(outcome.status == 0 && outcome.output == lines[number - 1] + "\n", "\(outcome)")
    }
  }

  @Test(arguments: ["0", "100000", "18446744073709551615"])
  func anEventThatIsNotThereIsAnError(sequence: String) async throws {
    let catalog = try await TestCatalog.imported()
    let head = try await catalog.head()
    let outcome = await catalog.run("event", sequence)
    // As that of `show`, `query --at` and all others.
    #expect(outcome.status == 1)
    #expect(outcome.output.isEmpty)
    #expect(
      outcome.errors.contains(
        "there is no event \(sequence); the log holds events 1 to \(head.sequence)"))
  }
}
