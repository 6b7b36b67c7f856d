import CatalogModel
import Foundation
import Testing

@testable import SoundLibraryKind

@Suite struct EventTypeTests {
  /// `docs/EVENTS.md` lists every type that is written, and its example of each has the keys that
  /// are written, in their order.
  @Test func theDocumentationListsEveryType() throws {
    let page = Resources.directory.appending(path: "../../../docs/EVENTS.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    var dice = Dice(seed: 101)
    for type in EventType.allCases {
      let row = try #require(
        text.split(separator: "\n").first { $0.hasPrefix("| `\(type.rawValue)` | `{") },
        "\(type.rawValue) is not documented")
      let record = EventRecord(
        sequence: 1, at: Timestamp(milliseconds: 0), operation: dice.id(), by: "cli",
        event: dice.event(type))
      let line = EventEncoder().encode(record)
      let value = try line.withUnsafeBytes { try JSONValue.parse($0) }
      guard case .object(let members)? = value["data"] else {
        Issue.record("no payload")
        continue
      }
      var rest = row[...]
      for member in members {
        let range = try #require(
          rest.firstRange(of: "\"\(member.key)\":"), "\(type.rawValue): \(member.key)")
        rest = rest[range.upperBound...]
      }
    }
  }
}
