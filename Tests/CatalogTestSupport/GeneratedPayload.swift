package import CatalogModel

/// Payloads made from a JSON Schema, by no other knowledge of the events.
package struct GeneratedPayload {
  /// A change that no reader may accept, and the path that the reader must name.
  package struct Fault {
    package let value: JSONValue
    package let path: String
  }

  private var random: SplitMix
  private let texts: [String]

  /// - Parameter texts: those that payloads have; if there are none, this generator's own.
  package init(seed: UInt64, texts: [String] = []) {
    random = SplitMix(seed: seed)
    self.texts = texts
  }

  package mutating func value(_ schema: JSONValue) -> JSONValue {
    if case .array(let choices)? = schema["anyOf"] { return value(random.pick(choices)) }
    if case .array(let choices)? = schema["enum"] { return random.pick(choices) }
    switch random.pick(Self.types(schema)) {
    case "null": return .null
    case "boolean": return .bool(random.below(2) == 0)
    case "integer":
      let integer = Int64(bitPattern: random.next()) >> random.below(64)
      return .number(
        schema["minimum"] == .number("0") ? String(integer.magnitude) : String(integer))
    case "number":
      let thousandths = Double(Int64(bitPattern: random.next()) >> random.below(64)) / 1_000
      return .number(
        random.pick(["0.0", "-2.5", "1e+16", "0.1", "215.0", thousandths.description]))
    case "array":
      return .array((0..<random.below(4)).map { _ in value(schema["items"] ?? .null) })
    case "object":
      return .object(
        Self.members(schema).map {
          JSONValue.Member(key: $0.key, value: value($0.value))
        })
    default: return .string(text(schema["pattern"]))
    }
  }

  private mutating func text(_ pattern: JSONValue?) -> String {
    guard case .string(let pattern)? = pattern else {
      return texts.isEmpty ? random.text() : random.pick(texts)
    }
    if JSONValue.string(pattern) == EntityID.schema["pattern"] {
      return EntityID(high: random.next(), low: random.next()).description
    }
    if JSONValue.string(pattern) == Timestamp.schema["pattern"] {
      return Timestamp(milliseconds: Int64(random.below(4_000_000_000_000))).description
    }
    if pattern.hasPrefix("^[0-9]{4}-") {
      return "19\(random.below(90) + 10)-0\(random.below(9) + 1)-28"
    }
    return random.pick(["", "AA==", "AAE=", "/+8A"])
  }

  /// All ways to spoil one place of a value.
  package static func faults(
    _ value: JSONValue, _ schema: JSONValue, at path: String
  ) -> [Fault] {
    var faults = spoilt(schema).map { Fault(value: $0, path: path) }
    let schema = choice(schema, for: value)
    switch value {
    case .object(let members):
      faults.append(
        Fault(value: .object(members + [JSONValue.Member(key: "x", value: .null)]), path: path))
      for (place, member) in members.enumerated() {
        if case .array(let keys)? = schema["required"], keys.contains(.string(member.key)) {
          var fewer = members
          fewer.remove(at: place)
          faults.append(Fault(value: .object(fewer), path: path))
        }
        guard let inner = schema["properties"]?[member.key] else { continue }
        for fault in Self.faults(member.value, inner, at: "\(path).\(member.key)") {
          var other = members
          other[place].value = fault.value
          faults.append(Fault(value: .object(other), path: fault.path))
        }
      }
    case .array(let elements):
      for (place, element) in elements.enumerated() {
        for fault in Self.faults(element, schema["items"] ?? .null, at: "\(path)[\(place)]") {
          var other = elements
          other[place] = fault.value
          faults.append(Fault(value: .array(other), path: fault.path))
        }
      }
    default: break
    }
    return faults
  }

  /// Values that the schema does not allow in the place of a value.
  private static func spoilt(_ schema: JSONValue) -> [JSONValue] {
    let types = types(schema)
    var values: [(String, JSONValue)] = [
      ("null", .null), ("boolean", .bool(true)), ("number", .number("1.5")), ("array", .array([])),
    ]
    if schema["anyOf"] == nil { values.append(("object", .object([]))) }
    if schema["pattern"] != nil || schema["enum"] != nil {
      values.append(("", .string("x")))
    } else {
      values.append(("string", .string("x")))
    }
    if types.contains("integer") { values.append(("", .number("18446744073709551616"))) }
    return values.filter { !types.contains($0.0) }.map(\.1)
  }

  /// The types of JSON that a schema allows.
  private static func types(_ schema: JSONValue) -> [String] {
    if case .array(let choices)? = schema["anyOf"] { return choices.flatMap { types($0) } }
    switch schema["type"] {
    case .string(let type)?: return [type]
    case .array(let types)?:
      return types.compactMap { if case .string(let type) = $0 { type } else { nil } }
    default: return []
    }
  }

  private static func members(_ schema: JSONValue) -> [JSONValue.Member] {
    if case .object(let members)? = schema["properties"] { members } else { [] }
  }

  /// The form that a value has, of those that a schema allows.
  private static func choice(_ schema: JSONValue, for value: JSONValue) -> JSONValue {
    guard case .array(let choices)? = schema["anyOf"] else { return schema }
    return choices.first { choice in
      guard case .object(let members) = value else { return types(choice).contains("array") }
      return members.map(\.key) == Self.members(choice).map(\.key)
    } ?? schema
  }
}
