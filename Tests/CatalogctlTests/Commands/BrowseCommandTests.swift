import Foundation
import Promises
import Testing

/// `items` and `facets`.
@Suite(
  .promise(
    "Lists of items and facets are what the filters leave, and a cut list says how many "
      + "there are"))
struct BrowseCommandTests {
  @Test func itemsAreListedByTitle() async throws {
    let catalog = try await TestCatalog.imported()
    let outcome = await catalog.run("items", "music")
    #expect(outcome.status == 0)
    #expect(
      outcome.lines
        == SampleSeed.music.map { "\(SampleSeed.id($0))  Song \($0)  Café, part \($0)" })
    #expect(outcome.errors == "4 items\n")
  }

  @Test func aLimitSaysHowManyThereAre() async throws {
    let catalog = try await TestCatalog.imported()
    let outcome = await catalog.run("items", "sfx", "--limit", "3")
    #expect(outcome.status == 0)
    #expect(outcome.lines.count == 3)
    #expect(outcome.errors.hasPrefix("3 of 8 items; the next page: --after "))
    let json = try await catalog.run("items", "sfx", "--limit", "3", "--format", "json").object()
    #expect(json["total"] as? Int == 8)
    #expect((json["items"] as? [Any])?.count == 3)
  }

  @Test func itemsAsJSONHaveTheirColumns() async throws {
    let catalog = try await TestCatalog.imported()
    let outcome = await catalog.run("items", "atmosphere", "--format", "json")
    #expect(outcome.errors.isEmpty)
    let items = try #require(try outcome.object()["items"] as? [[String: Any]])
    #expect(items.count == 8)
    let first = try #require(items.first)
    #expect(
      Set(first.keys)
        == ["id", "kind", "title", "duration", "createdAt", "updatedAt", "availability"])
    #expect(first["id"] as? String == SampleSeed.id(101))
    #expect(first["duration"] as? Double == 61.5)
    #expect(first["createdAt"] as? String == "2026-01-31T12:00:00.000Z")
  }

  @Test func filtersMeanAnyWithinAndAllAcross() async throws {
    let catalog = try await TestCatalog.imported()
    func count(_ options: String...) async -> Int {
      await InProcess.run(["items", "atmosphere", "--catalog", catalog.path] + options).lines.count
    }
    #expect(await count("--location", "Arctic") == 4)
    #expect(await count("--location", "Arctic", "--location", "Forest") == 8)
    #expect(await count("--location", "Arctic", "--mood", "Cozy") == 0)
    #expect(await count("--location", "Arctic", "--theme", "Hero’s Journey") == 4)
  }

  @Test func aHiddenItemIsNotListed() async throws {
    let catalog = try await TestCatalog.imported(revision: 2)
    let outcome = await catalog.run("items", "atmosphere")
    #expect(outcome.lines.count == 7)
    #expect(!outcome.output.contains(SampleSeed.id(102)))
  }

  @Test func anUnknownNameIsAnError() async throws {
    let catalog = try await TestCatalog.imported()
    for command in ["items", "facets"] {
      let outcome = await catalog.run(command, "sfx", "--mood", "Nowhere")
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("moods has no value \"Nowhere\""))
    }
  }

  @Test func aDimensionThatTheKindLacksIsWrongUsage() async throws {
    let catalog = try await TestCatalog.imported()
    for command in ["items", "facets"] {
      let outcome = await catalog.run(command, "music", "--creature", "Undead")
      #expect(outcome.status == 64)
      #expect(outcome.errors.contains("items of kind music have no creatureTypes, only"))
    }
  }

  @Test func facetsCountWhatTheFiltersLeave() async throws {
    let catalog = try await TestCatalog.imported()
    let outcome = await catalog.run("facets", "atmosphere", "--location", "Arctic")
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    #expect(outcome.output.contains("       4  Arctic"))
    #expect(outcome.output.contains("       4  Hero’s Journey"))
    #expect(!outcome.output.contains("creatureTypes"))
  }

  @Test func facetsAsJSONAreByDimension() async throws {
    let catalog = try await TestCatalog.imported()
    let json = try await catalog.run("facets", "sfx", "--format", "json").object()
    #expect(Set(json.keys) == ["locations", "moods", "sfxThemes", "creatureTypes", "availability"])
    let moods = try #require(json["moods"] as? [[String: Any]])
    let ominous = try #require(moods.first { $0["name"] as? String == "Ominous" })
    #expect(Set(ominous.keys) == ["id", "name", "count"])
    #expect(ominous["count"] as? Int == 8)
  }

  @Test func facetsAreCutPerDimension() async throws {
    let catalog = try await TestCatalog.imported()
    let json = try await catalog.run("facets", "atmosphere", "--limit", "1", "--format", "json")
      .object()
    #expect((json["locations"] as? [Any])?.count == 1)
    let text = await catalog.run("facets", "atmosphere", "--limit", "1")
    #expect(text.output.contains("… 1 more"))
  }
}
