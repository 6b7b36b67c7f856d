import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Documents that are right in themselves and contradict what the catalog holds.
@Suite(
  .promise(
    "A document is refused as a whole, with file, path, offset and value, and changes nothing",
    by: "documents that contradict the catalog"))
struct ConflictTests {
  struct Conflict: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    let path: String
    let value: String
    let says: String

    var testDescription: String { name }
  }

  /// Each against a catalog that holds revision 2 of the sample.
  static let conflicts: [Conflict] = [
    Conflict(
      name: "a lower revision", text: SampleSeed.text(), path: "$.revision", value: "1",
      says: "is older than revision 2 of seed \"sample\", which was already imported"),
    Conflict(
      name: "the same revision with other content",
      text: SampleSeed.text(revision: 2).replacing("\"Song 1\"", with: "\"Another\""),
      path: "$.revision", value: "2", says: "was imported with different content"),
    Conflict(
      name: "an item of another source", text: SampleSeed.text(revision: 3, seedID: "other"),
      path: "$.music[0].id", value: SampleSeed.id(1), says: "came from another source"),
    Conflict(
      name: "an item of another kind",
      text: SampleSeed.text(revision: 3)
        .replacing(SampleSeed.id(101), with: "swap")
        .replacing(SampleSeed.id(201), with: SampleSeed.id(101))
        .replacing("swap", with: SampleSeed.id(201)),
      path: "$.packs[0].items[0].id", value: SampleSeed.id(201),
      says: "of another kind already has this id"),
    Conflict(
      name: "a pack of another kind",
      text: SampleSeed.text(revision: 3)
        .replacing(SampleSeed.atmospherePack, with: "swap")
        .replacing(SampleSeed.sfxPack, with: SampleSeed.atmospherePack)
        .replacing("swap", with: SampleSeed.sfxPack),
      path: "$.packs[0].kind", value: "atmosphere", says: "this pack already has another kind"),
  ]

  @Test(arguments: conflicts)
  func aConflictIsRefusedAndNothingChanges(_ conflict: Conflict) async throws {
    let catalog = try await TestCatalog.imported(revision: 2)
    let head = try await catalog.head()
    let receipt = try await catalog.receipt()
    let bytes = try catalog.eventBytes()
    for options in [[], ["--dry-run"]] {
      let seed = try catalog.folder.write(conflict.text, to: "conflict.json")
      let outcome = await InProcess.run(["import", seed, "--catalog", catalog.path] + options)
      #expect(outcome.status == 1)
      #expect(outcome.output.isEmpty)
      #expect(
        outcome.errors.hasPrefix("catalogctl: \(seed): \(conflict.path): \(conflict.value) "),
        "\(outcome.errors)")
      #expect(outcome.errors.contains(conflict.says), "\(outcome.errors)")
      #expect(outcome.errors.contains("; "), "no advice: \(outcome.errors)")
    }
    #expect(try await catalog.head() == head)
    #expect(try await catalog.receipt() == receipt)
    #expect(try catalog.eventBytes() == bytes)
  }
}
