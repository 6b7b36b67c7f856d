import CatalogModel
import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import CatalogEngine
@testable import CatalogStore
@testable import SoundLibrary

/// What a person changes about tags, and what imports do afterwards.
@Suite(
  .promise(
    "Renames, merges, aliases and suppressed tags replay, and the next import appends nothing",
    by: "names too that no rule would let in"))
struct TagEditorTests {
  private let scratch: ScratchCatalog
  private let catalog: SoundLibrary
  private let locations = TagDimension.locations
  private let moods = TagDimension.moods
  private let creatures = TagDimension.creatureTypes
  /// A sound with Forest, Footsteps and Undead.
  private let sound = UUID(uuidString: TestSeed.id(101))!

  init() async throws {
    scratch = try ScratchCatalog()
    catalog = try await scratch.open()
    try await catalog.importer.applyUpdates(TestSeed.sample().source)
  }

  private func id(_ name: String, _ dimension: TagDimension) async throws -> Int64 {
    try await catalog.vocabulary.value(named: name, in: dimension).id
  }

  private func tags(of item: UUID, _ dimension: TagDimension) async throws -> [String] {
    try await catalog.library.fetchItemDetail(itemId: item).dimensions
      .first { $0.dimension == dimension }?.tags.map(\.value.name) ?? []
  }

  private func count(_ filters: Filters) async throws -> Int {
    try await catalog.library.countItems(kind: .sfx, filters: filters)
  }

  /// Imports a revision that says the same, in other bytes.
  private func importAgain(
    revision: Int = 1, _ change: (inout TestSeed) -> Void = { _ in }
  ) async throws -> SeedImportReport {
    var seed = TestSeed.sample(revision: revision)
    change(&seed)
    return try await catalog.importer.applyUpdates(
      .bytes(try seed.bytes + Array("\n".utf8), name: "again.json"))
  }

  /// The rows are what a projector in another language makes of the log, and a rebuild changes nothing.
  private func expectReplays() async throws {
    let before = try await catalog.receipt()
    let reducer = try scratch.reduceInPython()
    #expect(reducer.status == 0, "\(reducer.output) \(reducer.errors)")
    try await catalog.rebuild()
    #expect(try await catalog.receipt() == before)
  }

  // MARK: Names that no rule would let in

  /// Logs of before the rules, and of other programs, hold them: they are found as they are spelt.
  @Test func aNameThatNoRuleWouldLetInIsFoundByItsBytes() async throws {
    let odd = ["Rain\tdrops", " Wind", "Wind  chimes"]
    _ = try await Blocking.run { [catalog, moods] in
      try catalog.change(by: "import") { rows in
        var vocabulary = VocabularyPlan(rows)
        return try odd.map {
          .dimensionValueAdded(try vocabulary.add($0, to: moods, sortOrder: nil))
        }
      }
    }
    for name in odd {
      try await catalog.tags.add([TagName(moods, name)], to: sound)
      #expect(try await tags(of: sound, moods).contains(name))
      try await catalog.tags.remove([TagName(moods, name)], from: sound)
      #expect(try await !tags(of: sound, moods).contains(name))
    }
    try await catalog.tags.rename(id(odd[0], moods), in: moods, to: "Raindrops")
    try await catalog.tags.merge(id(odd[1], moods), into: id("Raindrops", moods), in: moods)
    #expect(try await id(odd[1], moods) == id("Raindrops", moods))
    // A new name still follows the rules, and one that is near is not taken for another.
    try await catalog.tags.add([TagName(moods, " New\tname ")], to: sound)
    #expect(try await tags(of: sound, moods).contains("New name"))
    try await expectReplays()
  }

  // MARK: Rename

  @Test func aRenameKeepsTheIDAndTheNextImportAppendsNothing() async throws {
    let forest = try await id("Forest", locations)
    let saved = Filters(locationIDs: [forest])
    let before = try await count(saved)
    let report = try await catalog.tags.rename(forest, in: locations, to: "Deep Forest")
    #expect(report.events == 1)
    #expect(try await count(saved) == before)
    #expect(try await tags(of: sound, locations) == ["Deep Forest"])
    #expect(try await importAgain().outcome == .unchanged)
    // The old name still leads there.
    #expect(try await id("Forest", locations) == forest)
    #expect(try await catalog.tags.rename(forest, in: locations, to: "Deep Forest").events == 0)
    try await expectReplays()
  }

  @Test func aNewRevisionCallsValuesByTheirNewNames() async throws {
    try await catalog.tags.rename(try await id("Forest", locations), in: locations, to: "Woods")
    let report = try await importAgain(revision: 2) { seed in
      seed.packs[0].items[0].tags["locations"] = ["Forest", "Arctic"]
    }
    #expect(report.events.map(\.type) == ["seed.imported", "item.tags.set"])
    #expect(try await tags(of: sound, locations) == ["Arctic", "Woods"])
    let program = try Program(
      "sh", "-c", "zstd -dcq \(scratch.directory.events)/*.zst | tail -n 1")
    #expect(
      program.output.contains(#""tags":{"locations":["Arctic","Woods"]"#), "\(program.output)")
    try await expectReplays()
  }

  @Test func aRenamedValueIsStillOrderedByItsOldName() async throws {
    try await catalog.tags.rename(try await id("Arctic", locations), in: locations, to: "Tundra")
    _ = try await importAgain(revision: 2) { $0.dimensions["locations"] = ["Forest", "Arctic"] }
    #expect(
      try await catalog.vocabulary.values(of: locations).prefix(2).map(\.value.name)
        == ["Forest", "Tundra"])
  }

  @Test func twoFormerNamesInADocumentDoNotMoveTheValue() async throws {
    let forest = try await id("Forest", locations)
    try await catalog.tags.rename(forest, in: locations, to: "Woods")
    try await catalog.tags.rename(forest, in: locations, to: "Grove")
    for revision in 2...4 as ClosedRange<Int> {
      let report = try await importAgain(revision: revision) {
        $0.dimensions["locations"] = ["Arctic", "Forest", "Woods"]
      }
      #expect(report.events.map(\.type) == ["seed.imported"])
    }
    #expect(
      try await catalog.vocabulary.values(of: locations).first { $0.value.id == forest }?.sortOrder
        == 1)
  }

  @Test func aNameThatIsTakenIsRefusedAndMergeOffered() async throws {
    let head = try scratch.head
    let forest = try await id("Forest", locations)
    let error = await #expect(throws: CatalogError.self) {
      try await catalog.tags.rename(forest, in: locations, to: "Arctic")
    }
    #expect(error?.code == .nameRefused)
    #expect(error?.recoveries == [.merge("Forest", into: "Arctic", in: locations)])
    #expect(try scratch.head == head)
  }

  @Test func aRenameBackTakesTheAliasForItsName() async throws {
    let forest = try await id("Forest", locations)
    try await catalog.tags.rename(forest, in: locations, to: "Woods")
    try await catalog.tags.rename(forest, in: locations, to: "Forest")
    let entry = try await catalog.vocabulary.values(of: locations).first { $0.value.id == forest }
    #expect(entry?.value.name == "Forest")
    #expect(entry?.aliases == ["Woods"])
    try await expectReplays()
  }

  // MARK: Merge

  @Test func aMergeUnitesItemsAndTheLostIDStillResolves() async throws {
    try await catalog.tags.add([TagName(locations, "Woods")], to: sound)
    let other = try #require(UUID(uuidString: TestSeed.id(102)))
    try await catalog.tags.add([TagName(locations, "Woods")], to: other)
    let woods = try await id("Woods", locations)
    let forest = try await id("Forest", locations)
    try await catalog.tags.merge(forest, into: woods, in: locations)

    #expect(try await count(Filters(locationIDs: [forest])) == 4)
    #expect(try await count(Filters(locationIDs: [woods])) == 4)
    #expect(try await importAgain().outcome == .unchanged)
    let detail = try await catalog.library.fetchItemDetail(itemId: sound)
    #expect(detail.dimensions[0].tags.map(\.value.name) == ["Woods"])
    #expect(detail.dimensions[0].tags.map(\.sources) == [["person", "seed:test"]])
    let entry = try await catalog.vocabulary.values(of: locations).first { $0.value.id == woods }
    // A seed gives it now.
    #expect(entry?.isSystem == true)
    #expect(entry?.sortOrder == 1)
    try await expectReplays()
  }

  @Test func mergesThatFollowEachOtherLeadToTheLastValue() async throws {
    let arctic = try await id("Arctic", locations)
    let forest = try await id("Forest", locations)
    try await catalog.tags.add([TagName(locations, "Last")], to: sound)
    let last = try await id("Last", locations)
    try await catalog.tags.merge(arctic, into: forest, in: locations)
    try await catalog.tags.merge(forest, into: last, in: locations)
    #expect(try await count(Filters(locationIDs: [arctic])) == 4)
    #expect(try await id("Arctic", locations) == last)
    // The id of a merged value is not given again.
    try await catalog.tags.add([TagName(locations, "New")], to: sound)
    #expect(try await id("New", locations) > max(arctic, forest, last))
    try await expectReplays()
  }

  @Test func aMergedNameInADocumentDoesNotMoveTheValue() async throws {
    let forest = try await id("Forest", locations)
    try await catalog.tags.merge(try await id("Arctic", locations), into: forest, in: locations)
    // The document lists both, Arctic first.
    #expect(try await importAgain().outcome == .unchanged)
    _ = try await importAgain(revision: 2) { $0.dimensions["locations"] = ["Arctic", "Hill"] }
    let entry = try await catalog.vocabulary.values(of: locations).first { $0.value.id == forest }
    #expect(entry?.sortOrder == 1)
  }

  @Test func anItemThatShowedOneOfTheTwoShowsTheMergedValue() async throws {
    try await catalog.tags.add([TagName(locations, "Woods")], to: sound)
    let woods = try await id("Woods", locations)
    try await catalog.tags.suppress([TagName(locations, "Forest")], on: sound)
    try await catalog.tags.merge(woods, into: try await id("Forest", locations), in: locations)
    let detail = try await catalog.library.fetchItemDetail(itemId: sound)
    #expect(detail.dimensions[0].tags.map(\.value.name) == ["Forest"])
    #expect(detail.dimensions[0].suppressed.isEmpty)
    // And goes on showing it when one of the two sources is silent.
    try await catalog.tags.remove([TagName(locations, "Forest")], from: sound)
    #expect(try await tags(of: sound, locations) == ["Forest"])
    try await expectReplays()
  }

  // MARK: Alias

  @Test func laterImportsOfAnAliasLandOnTheValue() async throws {
    let forest = try await id("Forest", locations)
    try await catalog.tags.alias("Wald", for: forest, in: locations)
    _ = try await importAgain(revision: 2) { $0.packs[0].items[0].tags["locations"] = ["Wald"] }
    #expect(try await tags(of: sound, locations) == ["Forest"])
    #expect(
      try await !catalog.vocabulary.values(of: locations).contains { $0.value.name == "Wald" })
    let arctic = try await id("Arctic", locations)
    try await catalog.tags.alias("Wald", for: arctic, in: locations)
    #expect(try await id("Wald", locations) == arctic)
    let error = await #expect(throws: CatalogError.self) {
      try await catalog.tags.alias("Forest", for: arctic, in: locations)
    }
    #expect(error?.code == .nameRefused)
    try await expectReplays()
  }

  // MARK: A person's tags

  @Test func whatAPersonAddsStaysBesideWhatSeedsSay() async throws {
    try await catalog.tags.add(
      [TagName(moods, "Spooky"), TagName(locations, "Arctic")], to: sound)
    _ = try await importAgain(revision: 2) { $0.packs[0].items[0].tags["locations"] = [] }
    #expect(try await tags(of: sound, locations) == ["Arctic"])
    let spooky = try await catalog.vocabulary.values(of: moods).first { $0.value.name == "Spooky" }
    #expect(spooky?.isSystem == false)
    #expect(try await catalog.tags.add([TagName(moods, "Spooky")], to: sound).events == 0)

    try await catalog.tags.remove([TagName(locations, "Arctic")], from: sound)
    #expect(try await tags(of: sound, locations).isEmpty)
    let error = await #expect(throws: CatalogError.self) {
      try await catalog.tags.remove([TagName(creatures, "Undead")], from: sound)
    }
    #expect(error?.message.contains("seed:test") == true)

    // A seed that says it makes it a value of the system.
    _ = try await importAgain(revision: 3) { $0.packs[0].items[1].tags["moods"] = ["Spooky"] }
    #expect(
      try await catalog.vocabulary.values(of: moods).first { $0.value.name == "Spooky" }?.isSystem
        == true)
    try await expectReplays()
  }

  @Test func aSuppressedTagStaysAwayUntilItIsUnsuppressed() async throws {
    try await catalog.tags.suppress([TagName(creatures, "Undead")], on: sound)
    #expect(try await tags(of: sound, creatures).isEmpty)
    let undead = Filters(creatureTypeIDs: [try await id("Undead", creatures)])
    #expect(try await count(undead) == 3)
    #expect(try await importAgain().outcome == .unchanged)
    // Even where the seed takes it back and gives it again.
    _ = try await importAgain(revision: 2) { $0.packs[0].items[0].tags["creatureTypes"] = [] }
    _ = try await importAgain(revision: 3)
    #expect(try await tags(of: sound, creatures).isEmpty)
    let detail = try await catalog.library.fetchItemDetail(itemId: sound)
    #expect(detail.dimensions.last?.suppressed.map(\.sources) == [["seed:test"]])
    #expect(try await catalog.tags.suppress([TagName(creatures, "Undead")], on: sound).events == 0)

    try await catalog.tags.unsuppress([TagName(creatures, "Undead")], on: sound)
    #expect(try await tags(of: sound, creatures) == ["Undead"])
    await #expect(throws: CatalogError.self) {
      try await catalog.tags.unsuppress([TagName(creatures, "Undead")], on: sound)
    }
    try await expectReplays()
  }

  @Test func addingASuppressedTagLetsItCountAgain() async throws {
    try await catalog.tags.suppress([TagName(creatures, "Undead")], on: sound)
    #expect(try await catalog.tags.add([TagName(creatures, "Undead")], to: sound).events == 2)
    #expect(try await tags(of: sound, creatures) == ["Undead"])
    try await expectReplays()
  }

  // MARK: Refusals

  @Test func whatMakesNoSenseIsRefusedAndChangesNothing() async throws {
    let head = try scratch.head
    let forest = try await id("Forest", locations)
    let song = try #require(UUID(uuidString: TestSeed.id(1)))
    func refused(
      _ code: CatalogError.Code, _ change: () async throws -> ChangeReport
    ) async {
      let error = await #expect(throws: CatalogError.self) { _ = try await change() }
      #expect(error?.code == code, "\(String(describing: error))")
    }
    await refused(.notFound) { try await catalog.tags.rename(9_999, in: locations, to: "X") }
    await refused(.nameRefused) { try await catalog.tags.rename(forest, in: locations, to: " \t") }
    await refused(.nameRefused) {
      try await catalog.tags.rename(
        forest, in: locations, to: String(repeating: "x", count: 2_000))
    }
    await refused(.changeRefused) {
      try await catalog.tags.merge(forest, into: forest, in: locations)
    }
    await refused(.notFound) { try await catalog.tags.merge(forest, into: 9_999, in: locations) }
    await refused(.notFound) { try await catalog.tags.merge(forest, into: 1, in: moods) }
    await refused(.notFound) {
      try await catalog.tags.add([TagName(moods, "Cozy")], to: UUID())
    }
    await refused(.changeRefused) {
      try await catalog.tags.add([TagName(creatures, "Undead")], to: song)
    }
    await refused(.nameRefused) { try await catalog.tags.add([TagName(moods, "")], to: sound) }
    await refused(.changeRefused) {
      try await catalog.tags.suppress([TagName(moods, "Cozy")], on: sound)
    }
    await refused(.notFound) {
      try await catalog.tags.suppress([TagName(moods, "Nothing")], on: sound)
    }
    #expect(try scratch.head == head)
  }

  @Test func anEmptyCatalogHasNothingToChange() async throws {
    let empty = try ScratchCatalog()
    let catalog = try await empty.open()
    defer { catalog.close() }
    let error = await #expect(throws: CatalogError.self) {
      try await catalog.tags.add([TagName(moods, "Cozy")], to: sound)
    }
    #expect(error?.code == .noCatalog)
  }
}
