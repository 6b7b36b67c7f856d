import CatalogModel
import CatalogTestSupport
import Foundation
import Promises
import Testing

@testable import SoundLibrary

@Suite(
  .promise(
    "Any generated event is written and read again, by the fast reader and the plain one "
      + "alike",
    by: "compared with Foundation's reader"))
struct EventCodecTests {
  @Test(arguments: [51, 52, 53, 54] as [UInt64])
  func everyGeneratedEventComesBack(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    var decoder = SoundEventDecoder()
    var types: Set<EventType> = []
    for sequence in 1...1_500 as ClosedRange<UInt64> {
      let record = dice.record(sequence)
      let line = EventEncoder().encode(record)
      let text = String(decoding: line, as: UTF8.self)
      let decoded = try decoder.decode(line: line, expecting: sequence)
      #expect(decoded == record, "seed \(seed): \(text)")
      // `==` of texts is canonical equivalence; bytes are what a log is made of.
      #expect(EventEncoder().encode(decoded) == line, "seed \(seed): \(text)")
      #expect(!line.contains(UInt8(ascii: "\n")))
      let slow = try line.withUnsafeBytes {
        try SoundEventDecoder().decodeAnyForm(line: $0, expecting: sequence)
      }
      #expect(EventEncoder().encode(slow) == line, "seed \(seed), slow path: \(text)")
      types.insert(EventType(of: record.event))
    }
    #expect(types.count == EventType.allCases.count)
  }

  @Test(arguments: [61, 62, 63] as [UInt64])
  func anotherFormOfTheSameContentReadsTheSame(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    for sequence in 1...800 as ClosedRange<UInt64> {
      let record = dice.record(sequence)
      // What a number of a row is, `5` or `5.0`, its column says when the event is applied.
      guard record.event.type != "rows.restored" else { continue }
      let line = EventEncoder().encode(record)
      let value = try line.withUnsafeBytes { try JSONValue.parse($0) }
      let disguise = dice.disguised(value)
      var decoder = SoundEventDecoder()
      let decoded = try decoder.decode(line: Array(disguise.utf8), expecting: sequence)
      #expect(EventEncoder().encode(decoded) == line, "seed \(seed): \(disguise)")
    }
  }

  /// The fast path may only know or not know a line: with one byte changed, both paths must read
  /// the same, or both nothing.
  @Test(arguments: [71, 72] as [UInt64])
  func bothPathsAgreeOnDamagedLines(seed: UInt64) {
    var dice = Dice(seed: seed)
    var survivors = 0
    for sequence in 1...4_000 as ClosedRange<UInt64> {
      var line = EventEncoder().encode(dice.record(sequence))
      let index = dice.below(line.count)
      switch dice.below(3) {
      case 0: line[index] = UInt8(truncatingIfNeeded: dice.next())
      case 1: line.remove(at: index)
      default: line.insert(dice.pick(Array("\"\\,:{}[]0e.- \u{1}é".utf8)), at: index)
      }
      var decoder = SoundEventDecoder()
      let fast = try? decoder.decode(line: line, expecting: sequence)
      let slow = line.withUnsafeBytes {
        try? SoundEventDecoder().decodeAnyForm(line: $0, expecting: sequence)
      }
      #expect(
        fast.map { EventEncoder().encode($0) } == slow.map { EventEncoder().encode($0) },
        "seed \(seed): \(JSONExcerpt.printable(line))")
      survivors += slow == nil ? 0 : 1
    }
    #expect(survivors > 100)
  }

  @Test func foundationReadsTheSameContent() throws {
    var dice = Dice(seed: 81)
    for sequence in 1...500 as ClosedRange<UInt64> {
      let record = dice.record(sequence)
      let line = EventEncoder().encode(record)
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
      #expect(object.count == 7)
      #expect((object["seq"] as? NSNumber)?.uint64Value == sequence)
      #expect(object["at"] as? String == record.at.description)
      #expect(object["type"] as? String == record.event.type)
      #expect((object["v"] as? NSNumber)?.int64Value == record.event.version)
      #expect(object["op"] as? String == record.operation.description)
      #expect(object["by"] as? String == record.by)
      let data = try #require(object["data"] as? [String: Any])
      if case .itemUpserted(let payload) = record.event {
        let title = try #require(data["title"] as? String)
        #expect(title.utf8.elementsEqual(payload.title.utf8))
        // Not from the dictionary: JSONSerialization misses some doubles by their last bit.
        let decoded = try JSONDecoder().decode(Line.self, from: Data(line))
        #expect(decoded.data.duration == payload.duration)
        #expect(data["subtitle"] is NSNull == (payload.subtitle == nil))
      }
    }
  }

  private struct Line: Decodable {
    struct Payload: Decodable {
      let duration: Double?
    }

    let data: Payload
  }

  @Test func linesLookAsTheFormatSays() {
    let id = EntityID(high: 0x1111_1111_1111_4111, low: 0x8111_1111_1111_1111)
    let at = Timestamp(milliseconds: 1_769_860_800_000)
    func line(_ event: SoundEvent) -> String {
      let record = SoundEventRecord(
        sequence: 7, at: at, operation: id, by: "seed:starter", event: event)
      return String(decoding: EventEncoder().encode(record), as: UTF8.self)
    }
    let item = ItemUpserted(
      id: id, kind: .music, title: "a\"\\/\u{8}\u{B}\u{1F}\u{7F}é", subtitle: nil,
      duration: -0.0, artworkURL: nil)
    #expect(
      line(.itemUpserted(item)) == #"""
        {"seq":7,"at":"2026-01-31T12:00:00.000Z","type":"item.upserted","v":1,\#
        "op":"11111111-1111-4111-8111-111111111111","by":"seed:starter","data":{\#
        "id":"11111111-1111-4111-8111-111111111111","kind":"music",\#
        "title":"a\"\\/\b\u000b\u001f\#u{7F}é","subtitle":null,"duration":0.0,"artworkUrl":null}}
        """#)
    var tags = TagSet()
    tags[TagDimension.all[1]] = ["Cozy", "Action", "Cozy"]
    tags[TagDimension.all[0]] = ["Forest"]
    #expect(
      line(.itemTagsSet(ItemTagsSet(item: id, source: "person", tags: tags))).hasSuffix(
        #""source":"person","tags":{"locations":["Forest"],"moods":["Action","Cozy"]}}}"#))
    #expect(
      line(.itemTagsSet(ItemTagsSet(item: id, source: "person", tags: TagSet()))).hasSuffix(
        #""tags":{}}}"#))
  }

  @Test func encodingAppends() {
    var dice = Dice(seed: 91)
    let record = dice.record(1)
    var bytes = Array("before".utf8)
    EventEncoder().encode(record, into: &bytes)
    #expect(bytes == Array("before".utf8) + EventEncoder().encode(record))
  }
}
