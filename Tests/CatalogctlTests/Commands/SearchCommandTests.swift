import Foundation
import Promises
import Testing

/// `items` and `search` page by page, `item`, `music`, `packs` and `pack`.
@Suite(
  .promise("A question that makes no sense is a typed error that names its wrong part"),
  .promise(
    "Lists of items and facets are what the filters leave, and a cut list says how many "
      + "there are",
    by: "pages and cursors"))
struct SearchCommandTests {
  @Test func pagesFollowEachOther() async throws {
    let catalog = try await TestCatalog.imported()
    for command in [["items", "sfx"], ["search", "sound", "--kind", "sfx"]] {
      var ids: [String] = []
      var after: [String] = []
      repeat {
        let outcome = await InProcess.run(
          command + ["--limit", "3", "--format", "json", "--catalog", catalog.path] + after)
        let page = try outcome.object()
        #expect(page["total"] as? Int == 8)
        ids += (page["items"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
        after = (page["next"] as? String).map { ["--after", $0] } ?? []
      } while !after.isEmpty && ids.count < 20
      #expect(ids == SampleSeed.sfx.map { SampleSeed.id($0) })
    }
  }

  /// Pages of ten thousand hits are exactly the whole list, and each says the exact total.
  @Test func pagesOfVeryManyHitsSayTheExactTotal() async throws {
    let catalog = try await SharedCatalogs.many.value
    let all = await catalog.run("search", "s")
    #expect(all.status == 0 && all.lines.count == 9_999)
    var found: [String] = []
    var after: [String] = []
    while found.count < 2_500 {
      let page = await InProcess.run(
        ["search", "s", "--limit", "1000", "--catalog", catalog.path] + after)
      #expect(page.status == 0 && page.errors.contains("1,000 of 9,999 items"), "\(page)")
      found += page.lines
      let cursor = try #require(page.errors.split(separator: " ").last)
      after = ["--after", cursor.trimmingCharacters(in: .newlines)]
    }
    #expect(found == Array(all.lines.prefix(found.count)))
    let json = try await catalog.run("search", "s", "--limit", "2", "--format", "json").object()
    #expect(json["total"] as? Int == 9_999)
  }

  @Test func theTextOfAPageTellsHowToGoOn() async throws {
    let catalog = try await TestCatalog.imported()
    let first = await catalog.run("items", "sfx", "--limit", "5", "--sort", "created")
    let cursor = try #require(first.errors.split(separator: " ").last).trimmingCharacters(
      in: .newlines)
    let next = await catalog.run("items", "sfx", "--sort", "created", "--after", cursor)
    #expect(first.lines.count == 5)
    #expect(next.lines.count == 3)
    let other = await catalog.run("items", "sfx", "--after", cursor)
    #expect(other.status == 1)
    #expect(other.errors.contains("another list (sfx by created instead of sfx by title)"))
  }

  @Test(arguments: ["x", "", "eyJ9.1234", "….…", String(repeating: "A", count: 300_000)])
  func aForgedCursorIsRefused(cursor: String) async throws {
    let catalog = try await TestCatalog.imported()
    let outcome = await catalog.run("items", "sfx", "--after", cursor)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("is not from a page of this catalog, or was changed"))
  }

  @Test func itemsAreSortedEitherWay() async throws {
    let catalog = try await TestCatalog.imported()
    let up = await catalog.run("items", "atmosphere", "--sort", "title")
    let down = await catalog.run("items", "atmosphere", "--sort", "title", "--descending")
    #expect(down.lines == up.lines.reversed())
  }

  @Test func unwantedTagsAndAvailabilityFilter() async throws {
    let catalog = try await TestCatalog.imported()
    func count(_ options: String...) async -> Int {
      await InProcess.run(["items", "atmosphere", "--catalog", catalog.path] + options).lines.count
    }
    #expect(await count("--not-location", "Arctic") == 4)
    #expect(await count("--not-location", "Arctic", "--not-location", "Forest") == 0)
    #expect(await count("--availability", "notDownloaded") == 8)
    #expect(await count("--availability", "available") == 0)
    let music = await catalog.run("items", "music", "--availability", "available")
    #expect(music.status == 1)
    #expect(music.errors.contains("items of kind music are never available"))
  }

  @Test func anUnknownNameSaysWhatIsNear() async throws {
    let catalog = try await TestCatalog.imported()
    for name in ["forest", "Forrest", "FOREST", "For"] {
      let outcome = await catalog.run("items", "music", "--location", name)
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("did you mean \"Forest\"?"), "\(outcome.errors)")
    }
  }

  /// The second revision of the sample hides Place 102.
  @Test func aSearchThatFindsOnlyHiddenItemsSaysSo() async throws {
    let catalog = try await TestCatalog.imported()
    #expect(await catalog.run("search", "place", "102").lines.count == 1)
    #expect(try await catalog.importSeed(SampleSeed.text(revision: 2)).status == 0)
    let hidden = await catalog.run("search", "place", "102")
    #expect(hidden.status == 0 && hidden.lines.isEmpty, "\(hidden)")
    #expect(
      hidden.errors.contains("no visible item has these words; 1 hidden item has them"), "\(hidden)"
    )
    for words in [
      ["--kind", "sfx", "place 102"], ["plaice 103"], ["place 102", "--location", "Forest"],
    ] {
      let outcome = await InProcess.run(["search", "--catalog", catalog.path] + words)
      #expect(!outcome.errors.contains("hidden"), "\(words): \(outcome)")
    }
  }

  @Test func searchFindsAllKindsAndSaysWhich() async throws {
    let catalog = try await TestCatalog.imported()
    let outcome = await catalog.run("search", "1")
    #expect(outcome.status == 0)
    #expect(Set(outcome.lines.map { $0.split(separator: " ")[1] }) == ["music", "atmosphere"])
    // A theme is looked for in the dimensions of all kinds.
    let themed = await catalog.run("search", "", "--theme", "Footsteps")
    #expect(themed.lines.count == 8)
    let odd = await InProcess.run(["search", "--catalog", catalog.path, "--", "--not", "\"'*"])
    #expect(odd.status == 0)
  }

  @Test func aThemeOfSeveralKindsIsFoundInAllOfThem() async throws {
    let catalog = try TestCatalog()
    try await catalog.importSeed(
      SampleSeed.text().replacing("Hero’s Journey", with: "Battlefield")
        .replacing("Epic War", with: "Battlefield"))
    let wanted = await catalog.run("search", "", "--theme", "Battlefield")
    #expect(wanted.lines.count == 12)
    let unwanted = await catalog.run("search", "", "--not-theme", "Battlefield")
    #expect(unwanted.lines.count == 8)
    let both = await catalog.run("search", "", "--theme", "Battlefield", "--theme", "Footsteps")
    #expect(both.lines.count == 20)
  }

  @Test func whatWouldSteerATerminalIsEscaped() async throws {
    let catalog = try TestCatalog()
    try await catalog.importSeed(
      SampleSeed.text().replacing("Sound 201", with: #"Red \u001b[31m\nline \u009b1m"#))
    let outcome = await catalog.run("items", "sfx", "--limit", "1")
    #expect(outcome.lines == [SampleSeed.id(201) + #"  Red \u{1b}[31m\u{a}line \u{9b}1m"#])
    let name = "x\u{1b}[31m"
    for arguments in [
      ["items", "sfx", "--mood", name], ["tag", "suppress", SampleSeed.id(201), "--mood", name],
      ["tag", "rename", "moods", "Cozy", name],
    ] {
      let outcome = await InProcess.run(arguments + ["--catalog", catalog.path])
      #expect(!(outcome.errors + outcome.output).contains("\u{1b}"), "\(arguments)")
    }
    #expect(await !catalog.run("tag", "list").output.contains("\u{1b}"))
    // JSON says it in full.
    let json = await catalog.run("items", "sfx", "--limit", "1", "--format", "json")
    #expect(json.output.contains(#"Red \u001b[31m\n"#))
  }

  @Test func aLimitKeepsWhatTheFiltersName() async throws {
    let catalog = try await TestCatalog.imported()
    let outcome = await catalog.run(
      "facets", "atmosphere", "--location", "Forest", "--mode", "disjunctive", "--limit", "1")
    #expect(outcome.output.contains("4  Arctic"))
    #expect(outcome.output.contains("4  Forest"))
  }

  @Test func anItemTellsItsTagsWithTheirSources() async throws {
    let catalog = try await TestCatalog.imported()
    let outcome = await catalog.run("item", SampleSeed.id(201))
    #expect(outcome.status == 0)
    #expect(outcome.lines.first == "Sound 201")
    #expect(outcome.output.contains("creatureTypes     Undead  (seed:sample)"))
    #expect(outcome.output.contains("availability      notDownloaded"))
    let json = try await catalog.run("item", SampleSeed.id(201), "--format", "json").object()
    let tags = try #require(json["tags"] as? [String: [[String: Any]]])
    #expect(Set(tags.keys) == ["locations", "moods", "sfxThemes", "creatureTypes"])
    #expect(tags["moods"]?.first?["sources"] as? [String] == ["seed:sample"])
    #expect((json["pack"] as? [String: Any])?["id"] as? String == SampleSeed.sfxPack)
  }

  @Test func whatIsNoIDOrNoneThatIsThereIsSaid() async throws {
    let catalog = try await TestCatalog.imported()
    for command in ["item", "pack"] {
      let malformed = await catalog.run(command, "nonsense")
      #expect(malformed.status == 64)
      let unknown = await catalog.run(command, SampleSeed.id(999))
      #expect(unknown.status == 1)
      #expect(unknown.errors.contains("there is no \(command) \(SampleSeed.id(999))"))
    }
  }

  @Test func musicAndPacksAreListed() async throws {
    let catalog = try await TestCatalog.imported()
    let music = await catalog.run("music")
    #expect(music.lines.first == "\(SampleSeed.id(1))  pl.sample-1  Song 1")
    #expect(music.lines.count == 4)
    let packs = await catalog.run("packs")
    #expect(
      packs.lines == [
        "\(SampleSeed.atmospherePack)  atmosphere  Places  8 items, version 1, not_downloaded",
        "\(SampleSeed.sfxPack)  sfx  Creatures  8 items, version 1, not_downloaded",
      ])
    #expect(await catalog.run("packs", "sfx").lines.count == 1)
    #expect(await catalog.run("packs", "music").status == 1)
    let pack = await catalog.run("pack", SampleSeed.sfxPack)
    #expect(pack.lines.count == 9)
    #expect(pack.lines[1] == "  \(SampleSeed.id(201))  Sound 201  notDownloaded")
  }
}
