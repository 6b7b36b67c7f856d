import CatalogModel
import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import SoundLibrary

/// The events of a sound library by their descriptions alone.
@Suite(
  .promise(
    "An event of a described kind is written as it was read; what its schema does not "
      + "allow is refused at its path",
    by: "payloads generated from the schema, and spoilt"))
struct CatalogEventTests {
  private let trial = DescribedEventTrial(
    of: SoundEvent.self, kind: SoundLibraryProjector.kind, page: "EVENTS.md", fit: Dice.fit)

  @Test(arguments: UInt64(1)...4)
  func whatIsReadIsWritten(_ seed: UInt64) {
    #expect(trial.lostPayloads(seed: seed, rounds: 40) == [])
  }

  @Test(arguments: UInt64(1)...4)
  func spoiltPayloadsAreRefusedByTheirPath(_ seed: UInt64) {
    #expect(trial.acceptedFaults(seed: seed) == [])
  }

  /// `envelope` is not an event, `catalog.created` names the one kind and layout that a log may have, and logs have a
  /// `manifest.applied` of version 1.
  @Test func theSchemasAreThoseOfTheDescriptions() throws {
    #expect(
      try trial.foreignSchemas(
        in: "Events/schema",
        but: [
          "envelope.v1.json", "catalog.created.v1.json", "manifest.applied.v1.json",
        ]) == [])
  }

  private static let texts: [(limit: Int, keys: Set<String>)] = [
    (
      TextRules.nameLimit,
      [
        "source", "name", "newName", "intoName", "alias", "playlistId", "storefront", "seed",
        "sha256", "content", "codec", "id", "type",
      ]
    ),
    (
      TextRules.textLimit,
      [
        "title", "subtitle", "artist", "album", "artworkUrl", "description", "curator",
        "manifestUrl", "url", "etag", "error", "modifiedAt",
      ]
    ),
  ]

  /// Each text of any event has the limit of the page's table ("What changes nothing"), as the second reducer has it.
  @Test(arguments: texts) func eachTextHasItsLimit(limit: Int, keys: Set<String>) {
    var found: Set<String> = []
    for (name, key, excess) in trial.longTexts(of: keys, bytes: limit + 1) {
      if excess?.contains("is not a UUID") == true { continue }
      found.insert(key)
      #expect(excess?.contains("\(limit)") == true, "\(name): \(key): \(excess ?? "no limit")")
    }
    #expect(found == keys)
  }

  /// `docs/EVENTS.md` lists each event, and its example of each has the keys in their order.
  @Test func thePageListsEachEvent() throws {
    let page = ScratchFolder.repository + "/docs/EVENTS.md"
    let text = try String(contentsOfFile: page, encoding: .utf8)
    for event in SoundEvent.vocabulary.events {
      let row = try #require(
        text.split(separator: "\n").first { $0.hasPrefix("| `\(event.name)` | `{") },
        "\(event.name) is not documented")
      var rest = row[...]
      for key in event.keys {
        let range = try #require(rest.firstRange(of: "\"\(key)\":"), "\(event.name): \(key)")
        rest = rest[range.upperBound...]
      }
    }
  }
}
