import CatalogModel
import CatalogTestSupport
import Promises
import Testing

@testable import SoundLibrary

/// The code by hand for the frequent events does what their descriptions say.
@Suite(
  .promise(
    "Any generated event is written and read again, by the fast reader and the plain one "
      + "alike",
    by: "the code by hand for frequent events"),
  .promise(
    "An event of a described kind is written as it was read; what its schema does not "
      + "allow is refused at its path"))
struct FrequentEventTests {
  private static let frequent: [EventType] = ["item.upserted", "item.tags.set"]

  private func record(_ event: SoundEvent, _ dice: inout Dice) -> SoundEventRecord {
    SoundEventRecord(
      sequence: 7, at: Timestamp(milliseconds: 0), operation: dice.id(), by: "cli", event: event)
  }

  @Test func frequentEventsAreDescribedFirst() {
    #expect(Set(EventType.allCases.prefix(2)) == Set(Self.frequent))
  }

  @Test(arguments: frequent)
  func linesAreThoseOfTheDescription(_ type: EventType) throws {
    var dice = Dice(seed: 11)
    for _ in 0..<500 {
      let record = record(dice.event(type), &dice)
      var described: [UInt8] = []
      let problem = EventEncoder.encode(
        record.envelope, version: type.version, into: &described
      ) { type.write(record.event, to: &$0) }
      #expect(problem == nil)
      var writer = CanonicalWriter()
      let isWritten = writer.frequentLine(record)
      #expect(isWritten)
      #expect(writer.bytes == described)
      var decoder = SoundEventDecoder()
      let read = try decoder.decode(line: described, expecting: 7)
      #expect(read == record)
    }
  }

  /// Texts at and beyond each limit, and durations of all kinds.
  @Test func limitsAreThoseOfTheDescription() {
    let lengths =
      [0, TextRules.nameLimit, TextRules.nameLimit + 1] + [0, 1].map { TextRules.textLimit + $0 }
    let texts = lengths.map { String(repeating: "x", count: $0) }
    let id = EntityID(high: 1, low: 2)
    var events: [SoundEvent] = []
    for text in texts {
      for (title, subtitle, artwork) in [(text, nil, nil), ("", text, nil), ("", nil, text)] {
        events.append(
          .itemUpserted(
            ItemUpserted(
              id: id, kind: .sfx, title: title, subtitle: subtitle, duration: nil,
              artworkURL: artwork)))
      }
      var tags = TagSet()
      tags[.moods] = ["Cozy", text]
      events.append(.itemTagsSet(ItemTagsSet(item: id, source: text, tags: TagSet())))
      events.append(.itemTagsSet(ItemTagsSet(item: id, source: "person", tags: tags)))
    }
    for duration in [0, -0.0, 1.5, -1, .infinity, .nan, -.infinity, .greatestFiniteMagnitude] {
      events.append(
        .itemUpserted(
          ItemUpserted(
            id: id, kind: .music, title: "", subtitle: nil, duration: duration, artworkURL: nil)))
    }
    for event in events {
      let excess = SoundEvent.vocabulary.excess(of: event)
      #expect(event.isFrequentWithinLimits == (excess == nil), "\(excess ?? "")")
    }
    #expect(!SoundEvent.packDeleted(PackReference(pack: id)).isFrequentWithinLimits)
  }
}
