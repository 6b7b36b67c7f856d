import CatalogModel
import CatalogTestSupport

@testable import SoundLibrary

/// Events of every type from one seed.
extension Dice {
  mutating func id() -> EntityID {
    EntityID(high: next(), low: next())
  }

  mutating func title() -> String {
    let text = NormalForm.nfc(text())
    return TextRules.isBlank(text) ? "x" : text
  }

  mutating func record(_ sequence: UInt64) -> SoundEventRecord {
    SoundEventRecord(
      sequence: sequence, at: Timestamp(milliseconds: Int64(below(4_000_000_000_000))),
      operation: id(), by: pick(["seed:starter", "manifest:\(id())", "person", "cli"]),
      event: event(pick(EventType.allCases)))
  }

  /// An event as its description says, with texts from many corners of Unicode.
  mutating func event(_ type: EventType) -> SoundEvent {
    var payloads = GeneratedPayload(seed: next(), texts: (0..<8).map { _ in title() })
    let payload = Self.fit(type.rawValue, payloads.value(type.schema))
    guard var data = try? PayloadReader(payload, path: ""), let event = try? type.read(from: &data)
    else { preconditionFailure("no \(type.rawValue) reads \(payload)") }
    return event
  }

  /// Makes the members of a payload fit each other, as its schema cannot say.
  static func fit(_ type: String, _ payload: JSONValue) -> JSONValue {
    guard case .object(var members) = payload else { return payload }
    if let place = members.firstIndex(where: { $0.key == "tags" }) {
      members[place].value = sorted(members[place].value)
    }
    if type == "playlist.metadata.refreshed" {
      let isAvailable = members[5].value != .null
      members[3].value = .string(isAvailable ? "available" : "gone")
      members[4].value = isAvailable ? .null : .string("it is gone")
    }
    return .object(members)
  }

  /// Tags as they are written: each name once, in order, and no dimension without names.
  private static func sorted(_ tags: JSONValue) -> JSONValue {
    guard case .object(let dimensions) = tags else { return tags }
    return .object(
      dimensions.compactMap { dimension in
        guard case .array(let names) = dimension.value, !names.isEmpty else { return nil }
        let texts = names.compactMap { if case .string(let name) = $0 { name } else { nil } }
        let sorted = Set(texts.map { Array($0.utf8) }).sorted { $0.lexicographicallyPrecedes($1) }
        return JSONValue.Member(
          key: dimension.key,
          value: .array(sorted.map { .string(String(decoding: $0, as: UTF8.self)) }))
      })
  }

  /// The same JSON content in another form: members shuffled, white space, other escapes, integers
  /// spelt otherwise.
  mutating func disguised(_ value: JSONValue) -> String {
    let space = chance(20) ? pick([" ", "\t", "\n", "\r\n  "]) : ""
    switch value {
    case .null, .bool: return space + value.description + space
    case .number(let text):
      if chance(20), !text.contains("."), !text.contains("e") { return space + text + ".0" }
      return space + text + space
    case .string(let text):
      return space + jsonString(text) + space
    case .array(let elements):
      let parts = elements.map { disguised($0) }
      return "[" + space + parts.joined(separator: ",") + "]"
    case .object(let members):
      let parts = members.shuffled(using: &self).map { member in
        jsonString(member.key) + space + ":" + disguised(member.value)
      }
      return space + "{" + parts.joined(separator: ",") + "}" + space
    }
  }
}
