import Foundation
import Promises
import Testing

/// `tag …` and `lint`.
@Suite(
  .promise(
    "Renames, merges, aliases and suppressed tags replay, and the next import appends nothing"))
struct TagCommandTests {
  private let item = SampleSeed.id(201)

  @Test func everyChangeIsOneLineAndOneBatch() async throws {
    let catalog = try await TestCatalog.imported()
    let head = try await catalog.head().sequence
    let steps: [([String], Int)] = [
      (["add", item, "--mood", "Spooky", "--location", "Forest"], 2),
      (["add", item, "--mood", "Spooky"], 0), (["rename", "moods", "Spooky", "Eerie"], 1),
      (["alias", "moods", "Unheimlich", "Eerie"], 1), (["merge", "moods", "Eerie", "Ominous"], 1),
      (["suppress", item, "--mood", "Unheimlich"], 1),
      (["unsuppress", item, "--mood", "Ominous"], 1),
      (["remove", item, "--location", "Forest"], 1),
    ]
    var expected = head
    for (arguments, events) in steps {
      let outcome = await InProcess.run(["tag"] + arguments + ["--catalog", catalog.path])
      #expect(outcome.status == 0, "\(arguments): \(outcome)")
      expected += events
      let noun = events == 1 ? "event" : "events"
      #expect(
        outcome.output
          == (events == 0
            ? "nothing new, 0 events\n" : "appended \(events) \(noun), head \(expected)\n"))
    }
    #expect(try await catalog.head().sequence == expected)
    let log = try await Program.shell("zstd -dcq \(catalog.events)/*.zst | tail -n 1 | jq -r .by")
    #expect(log.output == "person\n")
    let list = await catalog.run("tag", "list", "moods")
    #expect(list.output.contains("Ominous  (also \"Eerie\", \"Spooky\", \"Unheimlich\")"))
  }

  @Test func refusalsSayWhatToDoAndChangeNothing() async throws {
    let catalog = try await TestCatalog.imported()
    let before = try catalog.eventBytes()
    for (arguments, status, message) in [
      (["rename", "moods", "Cozy", "Ominous"], 1, "catalogctl tag merge moods Cozy Ominous"),
      (["rename", "mood", "Cozy", "Warm"], 64, "locations, moods"),
      (["rename", "moods", "cozy", "Warm"], 1, "did you mean \"Cozy\"?"),
      (["merge", "moods", "Cozy", "Cozy"], 1, "into itself"),
      (["alias", "moods", "Cozy", "Ominous"], 1, "it cannot be an alias"),
      (
        ["alias", "moods", "Cozy", "Cozy"], 1,
        "a value's own name cannot be its alias; name another"
      ),
      (["remove", item, "--mood", "Ominous"], 1, "it comes from seed:sample"),
      (["suppress", item, "--mood", "Cozy"], 1, "has no moods"),
      (["suppress", item, "--mood", "Ominos"], 1, "did you mean \"Ominous\"?"),
      (["unsuppress", item, "--mood", "Ominous"], 1, "is not suppressed"),
      (["add", SampleSeed.id(1), "--creature", "Undead"], 64, "have no creatureTypes"),
      (["add", SampleSeed.id(999), "--mood", "Cozy"], 1, "there is no item"),
      (["add", item], 64, "name a tag with --location"),
      (["add", "nonsense", "--mood", "Cozy"], 64, "nonsense"),
      (["add", item, "--mood", " "], 1, "is blank"),
    ] {
      let outcome = await InProcess.run(["tag"] + arguments + ["--catalog", catalog.path])
      #expect(outcome.status == Int32(status), "\(arguments): \(outcome)")
      #expect(outcome.errors.contains(message), "\(arguments): \(outcome.errors)")
    }
    #expect(try catalog.eventBytes() == before)
  }

  /// A typing error makes a value: the user sees that.
  @Test func aNewValueIsPointedOut() async throws {
    let catalog = try await TestCatalog.imported()
    let made = await catalog.run("tag", "add", item, "--mood", "Comfy", "--mood", "Cozy")
    #expect(made.status == 0 && made.errors == "\"Comfy\" is a new value of moods\n", "\(made)")
    let again = await catalog.run("tag", "add", item, "--mood", "Comfy")
    #expect(again.status == 0 && again.errors.isEmpty, "\(again)")
    let asked = await catalog.run("tag", "add", item, "--mood", "COMFY", "--new")
    #expect(asked.errors == "\"COMFY\" is a new value of moods\n", "\(asked)")
  }

  @Test func lintProposesCommandsThatTidyUp() async throws {
    let catalog = try await TestCatalog.imported()
    // Case, quotes, dashes, width, accents, a plural.
    for name in ["cozy", "CÖZY", "Ominous’", "Omin-ous", "Ｏｍｉｎｏｕｓ"] {
      _ = await catalog.run("tag", "add", item, "--new", "--mood", name)
    }
    for name in ["Footstep", "Foot Steps", "-footsteps"] {
      _ = await catalog.run("tag", "add", item, "--theme=\(name)")
    }
    let outcome = await catalog.run("lint", "--brief")
    #expect(outcome.status == 2)
    let commands = outcome.lines.filter { $0.hasPrefix("  catalogctl ") }
    #expect(commands.count == 8)
    // Pasted into a shell as they stand.
    let script =
      "export CATALOG_HOME=\(catalog.path) PATH=\(Program.catalogctl.dropLast(10)):$PATH\n"
    let pasted = try await Program.shell("set -e\n" + script + commands.joined(separator: "\n"))
    #expect(pasted.status == 0, "\(pasted)")
    let after = await catalog.run("lint", "--brief")
    #expect(after.status == 0)
    #expect(after.errors == "0 findings\n")
    let moods = try await catalog.run("tag", "list", "moods", "--format", "json").object()
    let names = (moods["moods"] as? [[String: Any]])?.compactMap { $0["name"] as? String }
    #expect(names == ["Cozy", "Ominous"])
  }

  @Test func lintNamesUnusedValuesUntaggedItemsAndDanglingIDs() async throws {
    let catalog = try TestCatalog()
    try await catalog.importSeed(
      SampleSeed.replacing(
        #""tags":{"locations":["Forest"],"moods":["Cozy"],"themes":["Epic War"]}"#, #""tags":{}"#
      )
      .replacing("[\"Arctic\",\"Forest\"]", with: "[\"Arctic\",\"Forest\",\"Hell\"]"))
    try await catalog.sqlite(
      "INSERT INTO item_mood VALUES ('00000000-0000-4000-8000-00000000dead', 77)")
    let outcome = await catalog.run("lint")
    #expect(outcome.status == 2)
    #expect(outcome.output.contains("unused in locations: \"Hell\""))
    #expect(outcome.output.contains("without tags: \(SampleSeed.id(1)) music Song 1"))
    #expect(
      outcome.output.contains(
        "dangling: item_mood.item_id names 00000000-0000-4000-8000-00000000dead"))
    #expect(outcome.output.contains("dangling: item_mood.mood_id names 77"))
    let findings = try await catalog.run("lint", "--format", "json").objects()
    #expect(findings.count == 4)
  }
}
