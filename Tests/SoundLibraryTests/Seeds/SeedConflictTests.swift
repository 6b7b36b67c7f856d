import CatalogModel
import CatalogTestSupport
import EventLog
import Foundation
import Promises
import Testing

@testable import SoundLibrary

/// A document that contradicts the catalog is refused whole: nothing changes.
@Suite(
  .promise(
    "A document is refused as a whole, with file, path, offset and value, and changes nothing",
    by: "documents that contradict the catalog"))
struct SeedConflictTests {
  struct Case: CustomTestStringConvertible {
    let name: String
    let path: String
    let change: @Sendable (inout TestSeed) -> Void

    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(name: "lower revision", path: "$.revision") { $0.revision = 1 },
    Case(name: "same revision, other content", path: "$.revision") {
      $0.revision = 2
      $0.music[0].title = "Other"
    },
    Case(name: "item of another seed", path: "$.music[1].id") {
      $0.seedId = "other"
      $0.music[0] = TestSeed.song(77)
      $0.music[1].appleMusicPlaylistId = "pl.free"
      $0.packs = []
    },
    Case(name: "pack of another seed", path: "$.packs[0].id") {
      $0.seedId = "other"
      $0.music = []
      $0.packs[0].items = []
    },
    Case(name: "music becomes a sound", path: "$.packs[0].items[3].id") {
      $0.packs[0].items.append(TestSeed.sound(1))
      $0.music.removeFirst()
    },
    Case(name: "kind of a pack", path: "$.packs[2].kind") {
      $0.packs[2].kind = "atmosphere"
      $0.packs[2].items = []
    },
    Case(name: "playlist taken", path: "$.music[0].appleMusicPlaylistId") {
      $0.music[0].appleMusicPlaylistId = "pl.3"
      $0.music.removeLast()
    },
    Case(name: "item in a pack that is not listed", path: "$.packs[0].items[3].id") {
      $0.packs[0].items.append($0.packs[2].items[0])
      $0.packs.removeLast()
    },
  ]

  @Test(arguments: cases)
  func isRefusedWithItsPlaceAndNothingChanges(example: Case) async throws {
    let test = try ScratchCatalog()
    try await test.apply(.sample(revision: 2))
    let files = try test.logFiles
    let receipt = try await test.receipt()
    var seed = TestSeed.sample(revision: 3)
    example.change(&seed)
    let refusal = try await test.refusal(of: seed)
    #expect(refusal?.code == .conflict)
    #expect(refusal?.path == example.path)
    #expect(refusal?.file == "test.json")
    #expect(refusal?.advice?.isEmpty == false)
    #expect(try test.logFiles == files)
    #expect(try await test.receipt() == receipt)
  }

  @Test func allConflictsAreListed() async throws {
    let test = try ScratchCatalog()
    try await test.apply(.sample())
    let head = try test.head
    var seed = TestSeed.sample()
    seed.seedId = "other"
    let refusal = try #require(try await test.refusal(of: seed))
    let paths = ([refusal] + refusal.furtherFaults).map(\.path)
    let music = seed.music.indices.map { "$.music[\($0)].id" }
    let packs = seed.packs.indices.flatMap { pack in
      ["$.packs[\(pack)].id"]
        + seed.packs[pack].items.indices.map { "$.packs[\(pack)].items[\($0)].id" }
    }
    #expect(paths == (music + packs).prefix(10).map(Optional.some))
    #expect(refusal.faultCount == music.count + packs.count)
    #expect(try test.head == head)
  }

  @Test func refusedDocumentLeavesNoLogInANewFolder() async throws {
    let test = try ScratchCatalog()
    var seed = TestSeed.sample()
    seed.packs[1].kind = "music"
    #expect(try await test.refusal(of: seed) != nil)
    #expect(try test.head == nil)
    await #expect(throws: DocumentError.self) {
      try await SeedImporter.applied(
        seed.source, to: CatalogDirectory(test.scratch.file("other")),
        options: ScratchCatalog.options)
    }
    #expect(!FileManager.default.fileExists(atPath: test.scratch.file("other")))
  }

  @Test func planTellsWhatAnImportWouldAppendAndChangesNothing() async throws {
    let test = try ScratchCatalog()
    let planned = try await SeedImporter.planned(
      TestSeed.sample().source, in: test.directory, options: ScratchCatalog.options)[0]
    #expect(planned.outcome == .planned)
    #expect(!FileManager.default.fileExists(atPath: test.directory.path))
    let done = try await test.apply(.sample())
    #expect(planned.events.elementsEqual(done.events, by: ==))
    var seed = TestSeed.sample(revision: 2)
    seed.music[0].title = "Other"
    let head = try test.head
    let next = try await SeedImporter.planned(
      seed.source, in: test.directory, options: ScratchCatalog.options)[0]
    #expect(next.events.map(\.type) == ["seed.imported", "item.upserted"])
    #expect(try test.head == head)
  }

  /// Each document is planned over what those before it would leave, and with the events that its import has.
  @Test(arguments: [false, true])
  func aPlanOfSeveralIsThatOfTheirImports(isThere: Bool) async throws {
    let test = try ScratchCatalog()
    if isThere { try await test.apply(.sample()) }
    var next = TestSeed.sample(revision: 2)
    next.music[0].title = "Other"
    let seeds = [TestSeed.sample(), next, next, TestSeed.sample(revision: 3)]
    let planned = try await SeedImporter.planned(
      seeds[0].source, seeds[1].source, seeds[2].source, seeds[3].source, in: test.directory,
      options: ScratchCatalog.options)
    var done: [SeedImportReport] = []
    for seed in seeds { done.append(try await test.apply(seed)) }
    #expect(planned.map(\.events) == done.map(\.events))
    #expect(
      planned.map { $0.outcome == .planned ? .imported : $0.outcome } == done.map(\.outcome))
    #expect(planned.map(\.documents[0].revision) == done.map(\.documents[0].revision))
    #expect(planned[1].events.total > 0 && planned[2].outcome == .unchanged)
  }
}
