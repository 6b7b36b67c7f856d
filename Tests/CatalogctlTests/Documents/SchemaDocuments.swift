import CatalogModel
import CatalogTestSupport
import Foundation

/// Makes documents out of a schema of docs/schemas/input, and spoils them.
struct SchemaDocuments {
  private let root: JSONValue
  private let shared: JSONValue
  private var generator: SeededGenerator
  private var ids = 0

  /// - Parameter name: of the schema's file, without its ending.
  init(_ name: String, seed: UInt64) throws {
    func load(_ name: String) throws -> JSONValue {
      let file = "\(Program.package)/docs/schemas/input/\(name).json"
      return try JSONValue.parse(DocumentFile.load(file), file: file)
    }
    root = try load(name)
    shared = try load("shared")
    generator = SeededGenerator(seed: seed)
  }

  // MARK: Documents that fit

  /// A document that fits the schema; ids are different ones.
  mutating func fitting() -> JSONValue { value(of: root, in: root) }

  private mutating func value(of schema: JSONValue, in file: JSONValue) -> JSONValue {
    if let reference = schema["$ref"]?.text {
      let name = String(reference.split(separator: "/").last ?? "")
      let target = reference.hasPrefix("#") ? file : shared
      if name == "id" { return .string(newID()) }
      return value(of: target["$defs"]?[name] ?? .null, in: target)
    }
    if let choices = schema["anyOf"]?.elements {
      return value(of: choices[generator.below(choices.count)], in: file)
    }
    if let constant = schema["const"] { return constant }
    if let words = schema["enum"]?.elements { return words[generator.below(words.count)] }
    let types = schema["type"]?.elements ?? [schema["type"] ?? .null]
    switch types[generator.below(types.count)].text {
    case "object": return object(schema, in: file)
    case "array":
      let count = generator.below(4)
      let items = (0..<count).map { _ in value(of: schema["items"] ?? .null, in: file) }
      guard schema["uniqueItems"] == .bool(true) else { return .array(items) }
      return .array(items.reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
    case "string": return .string(text(schema))
    case "integer":
      let least = schema["minimum"]?.number ?? "0"
      return .number(
        [least, "1", "7", "100.0", "2e3", "9007199254740991"].randomElement(using: &generator)
          ?? least)
    case "number":
      return .number(["0", "-0.0", "0.5", "61.25", "1e-3"].randomElement(using: &generator) ?? "0")
    case "boolean": return .bool(generator.below(2) == 0)
    default: return .null
    }
  }

  private mutating func object(_ schema: JSONValue, in file: JSONValue) -> JSONValue {
    let required = Set((schema["required"]?.elements ?? []).compactMap(\.text))
    var members: [JSONValue.Member] = []
    for member in schema["properties"]?.members ?? [] {
      guard required.contains(member.key) || generator.below(3) > 0 else { continue }
      members.append(
        JSONValue.Member(key: member.key, value: value(of: member.value, in: file)))
    }
    if schema["additionalProperties"] == nil, generator.below(8) == 0 {
      members.append(JSONValue.Member(key: "later", value: .array([.object([])])))
    }
    return .object(members.shuffled(using: &generator))
  }

  private mutating func text(_ schema: JSONValue) -> String {
    if let examples = schema["examples"]?.elements {
      return examples.randomElement(using: &generator)?.text ?? ""
    }
    let words = [
      "a", "Tavern", " Epic  War ", "Überfahrt", "\u{65E5}\u{672C}", "x\ny", "\u{1F39E}",
      "e\u{301}",
    ]
    let word = words.randomElement(using: &generator) ?? "a"
    // Lists that may not name anything twice get other names.
    ids += 1
    if schema["pattern"] == nil, generator.below(6) == 0 { return "" }
    return generator.below(3) == 0 ? word : "\(word) \(ids)"
  }

  private mutating func newID() -> String {
    ids += 1
    let digits = String(ids, radix: 16)
    let id = "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    return generator.below(4) == 0 ? id.uppercased() : id
  }

  // MARK: Documents that may not fit

  /// The document with one to three changes, any of which may make it unfit.
  mutating func spoilt(_ document: JSONValue) -> JSONValue {
    (0...generator.below(3)).reduce(document) { document, _ in changed(document) }
  }

  private mutating func changed(_ value: JSONValue) -> JSONValue {
    // Deeper with luck, so that every level is changed.
    switch value {
    case .object(var members) where !members.isEmpty && generator.below(5) > 0:
      let place = generator.below(members.count)
      switch generator.below(10) {
      case 0: members.remove(at: place)
      case 1, 2:
        // Not a key that is there already: that is no matter of a schema.
        let key = generator.below(2) == 0 ? misspelt(members[place].key) : "surplus"
        guard !members.contains(where: { $0.key == key }) else { break }
        if key == "surplus" {
          members.append(JSONValue.Member(key: key, value: .number("1")))
        } else {
          members[place].key = key
        }
      default: members[place].value = changed(members[place].value)
      }
      return .object(members)
    case .array(var elements) where !elements.isEmpty && generator.below(5) > 0:
      let place = generator.below(elements.count)
      switch generator.below(10) {
      case 0: elements.append(elements[place])
      case 1: elements.remove(at: place)
      case 2: elements.append(other())
      default: elements[place] = changed(elements[place])
      }
      return .array(elements)
    case .string(let text) where generator.below(2) == 0:
      return .string(
        [
          "", " ", "\u{A0}\u{3000}", text + "x", text + " ", "!" + text, text.uppercased(),
          String(text.dropLast()), String(repeating: "x", count: 1_025),
          String(repeating: "y", count: 65_537), "\u{2603}",
        ].randomElement(using: &generator) ?? "")
    case .number where generator.below(2) == 0:
      return .number(
        ["-1", "0", "-0.0", "0.5", "1.0", "9007199254740991", "9007199254740992", "1e300", "1E2"]
          .randomElement(using: &generator) ?? "0")
    default: return other()
    }
  }

  private mutating func other() -> JSONValue {
    let values: [JSONValue] = [
      .null, .bool(true), .bool(false), .number("7"), .number("-1"), .number("1.5"), .string(""),
      .string("x"), .array([]), .array([.null]), .object([]),
      .object([JSONValue.Member(key: "x", value: .null)]),
    ]
    return values.randomElement(using: &generator) ?? .null
  }

  private mutating func misspelt(_ key: String) -> String {
    var letters = Array(key)
    guard letters.count > 1 else { return key + "x" }
    let place = generator.below(letters.count - 1)
    letters.swapAt(place, place + 1)
    return String(letters) == key ? key.uppercased() : String(letters)
  }
}

extension JSONValue {
  fileprivate var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  fileprivate var number: String? {
    guard case .number(let text) = self else { return nil }
    return text
  }

  fileprivate var elements: [JSONValue]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }

  var members: [Member]? {
    guard case .object(let members) = self else { return nil }
    return members
  }
}
