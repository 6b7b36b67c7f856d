package import CatalogModel
import Foundation

/// Holds the events of a kind to their descriptions: what is written, what is read, what is refused, the page and the
/// schemas.
package struct DescribedEventTrial<Event: DescribedEvent & Equatable> {
  private let kind: String
  private let page: String
  /// Makes the members of a payload fit each other, for events whose schema cannot say how.
  private let fit: (_ type: String, _ payload: JSONValue) -> JSONValue

  package init(
    of _: Event.Type, kind: String, page: String,
    fit: @escaping (_ type: String, _ payload: JSONValue) -> JSONValue = { $1 }
  ) {
    self.kind = kind
    self.page = page
    self.fit = fit
  }

  private static func line(
    _ sequence: UInt64, _ name: EventName<Event>, _ data: JSONValue
  ) -> String {
    #"{"seq":\#(sequence),"at":"2026-01-31T12:00:00.000Z","type":"\#(name.rawValue)","#
      + #""v":\#(name.version),"op":"01234567-89ab-8cde-8123-456789abcdef","by":"test","#
      + #""data":\#(data)}"#
  }

  private static func read(_ line: String) throws -> Event {
    try Array(line.utf8).withUnsafeBytes { bytes in
      try EventLine(line: bytes, expecting: 2).record(Upcasters()) {
        (name: EventName<Event>, data) throws(PayloadReader.Problem) in try name.read(from: &data)
      }.event
    }
  }

  /// Reads a payload by the faster reader; nil if it does not know the form.
  private static func readCanonical(_ name: EventName<Event>, _ payload: JSONValue) -> Event? {
    Array(payload.description.utf8).withUnsafeBytes { bytes in
      var line = CanonicalLineReader(bytes)
      guard line.skip("{"), let event = name.read(canonical: &line), line.skip("}"),
        line.position == bytes.count
      else { return nil }
      return event
    }
  }

  private static func written(_ event: Event) -> String {
    let name = EventName(of: event)
    var bytes: [UInt8] = []
    let problem = EventEncoder.encode(
      EventEnvelope(
        sequence: 2, at: Timestamp("2026-01-31T12:00:00.000Z")!, type: name.rawValue,
        operation: EntityID("01234567-89ab-8cde-8123-456789abcdef")!, by: "test"),
      version: name.version, into: &bytes
    ) { name.write(event, to: &$0) }
    return problem ?? String(decoding: bytes, as: UTF8.self)
  }

  private func payload(_ name: EventName<Event>, _ generator: inout GeneratedPayload) -> JSONValue {
    fit(name.rawValue, generator.value(name.schema))
  }

  /// - Returns: payloads that are not written as they were read, or not read in another order of their keys.
  package func lostPayloads(seed: UInt64, rounds: Int) -> [String] {
    var generator = GeneratedPayload(seed: seed)
    var lost: [String] = []
    for _ in 0..<rounds {
      for name in EventName<Event>.allCases {
        let payload = payload(name, &generator)
        let line = Self.line(2, name, payload)
        do {
          let event = try Self.read(line)
          if EventName(of: event) != name || Self.written(event) != line { lost.append(line) }
          if let other = Self.readCanonical(name, payload), other != event { lost.append(line) }
          if try Self.read(Self.line(2, name, Self.turned(payload))) != event { lost.append(line) }
        } catch {
          lost.append("\(error)")
        }
      }
    }
    return lost
  }

  /// Reverses the order of the keys in all objects.
  private static func turned(_ value: JSONValue) -> JSONValue {
    switch value {
    case .object(let members):
      .object(members.reversed().map { JSONValue.Member(key: $0.key, value: turned($0.value)) })
    case .array(let elements): .array(elements.map(turned))
    default: value
    }
  }

  /// - Returns: spoilt payloads that are read, or refused at another path.
  package func acceptedFaults(seed: UInt64) -> [String] {
    var generator = GeneratedPayload(seed: seed)
    var accepted: [String] = []
    for name in EventName<Event>.allCases {
      for fault in GeneratedPayload.faults(
        payload(name, &generator), name.schema, at: "$.data")
      {
        let line = Self.line(2, name, fault.value)
        do {
          _ = try Self.read(line)
          accepted.append("read: \(line)")
        } catch let error as EventDecodingError {
          if error.path != fault.path { accepted.append("\(error), not \(fault.path)") }
        } catch {
          accepted.append("\(error)")
        }
      }
    }
    return accepted
  }

  /// Events that are within all limits but for one text, which is longer than it may be.
  ///
  /// - Parameter keys: of such texts.
  /// - Returns: the name of the event, the key, and what exceeds its limit; nil if nothing does.
  package func longTexts(
    of keys: Set<String>, bytes: Int
  ) -> [(name: String, key: String, excess: String?)] {
    var generator = GeneratedPayload(seed: 1)
    let long = JSONValue.string(String(repeating: "x", count: bytes))
    func excess(_ name: EventName<Event>, _ payload: JSONValue) -> String? {
      do {
        return Event.vocabulary.excess(of: try Self.read(Self.line(2, name, payload)))
      } catch {
        return "\(error)"
      }
    }
    var found: [(name: String, key: String, excess: String?)] = []
    for name in EventName<Event>.allCases {
      for _ in 0..<100 {
        let payload = payload(name, &generator)
        if excess(name, payload) != nil { continue }
        for (key, payload) in Self.replacements(in: payload, of: keys, by: long) {
          found.append((name.rawValue, key, excess(name, payload)))
        }
      }
    }
    return found
  }

  /// The value with each text of some keys replaced in turn.
  private static func replacements(
    in value: JSONValue, of keys: Set<String>, by text: JSONValue
  ) -> [(key: String, value: JSONValue)] {
    switch value {
    case .object(let members):
      members.enumerated().flatMap { place, member in
        func replaced(_ value: JSONValue) -> JSONValue {
          var members = members
          members[place].value = value
          return .object(members)
        }
        if case .string = member.value {
          return keys.contains(member.key) ? [(member.key, replaced(text))] : []
        }
        return replacements(in: member.value, of: keys, by: text).map {
          ($0.key, replaced($0.value))
        }
      }
    case .array(let elements):
      elements.enumerated().flatMap { place, element in
        replacements(in: element, of: keys, by: text).map { key, value in
          var elements = elements
          elements[place] = value
          return (key, .array(elements))
        }
      }
    default: []
    }
  }

  /// Lets `Tools/check-events`, the second reader, judge generated payloads and spoilt ones by the files of schemas.
  ///
  /// - Returns: what it says of the good ones, and the spoilt ones that it accepts.
  package func disagreements(seed: UInt64) throws -> [String] {
    var generator = GeneratedPayload(seed: seed)
    let first =
      #"{"seq":1,"at":"2026-01-31T12:00:00.000Z","type":"catalog.created","v":1,"#
      + #""op":"01234567-89ab-8cde-8123-456789abcdef","by":"test","#
      + #""data":{"kind":"\#(kind)","layout":1,"logId":"01234567-89ab-8cde-8123-456789abcdef"}}"#
    var good = [first]
    var spoilt = [first]
    for name in EventName<Event>.allCases {
      for _ in 0..<20 {
        good.append(Self.line(UInt64(good.count + 1), name, payload(name, &generator)))
      }
      for fault in GeneratedPayload.faults(
        payload(name, &generator), name.schema, at: "$.data")
      {
        spoilt.append(Self.line(UInt64(spoilt.count + 1), name, fault.value))
      }
    }
    let folder = try ScratchFolder()
    var found: [String] = []
    let judged = try check(good, in: folder)
    if judged.status != 0 { found.append(judged.output + judged.errors) }
    let refused = try check(spoilt, in: folder)
    for (place, line) in spoilt.enumerated().dropFirst()
    where !refused.output.contains("seq \(place + 1): ") {
      found.append("accepted: \(line)")
    }
    return found
  }

  private func check(_ lines: [String], in folder: ScratchFolder) throws -> Program {
    try Program(
      "python3", ScratchFolder.repository + "/Tools/check-events",
      folder.write(lines.joined(separator: "\n") + "\n", to: "events.jsonl"), "--limit", "100000")
  }

  /// - Returns: differences between the descriptions and the table "Events" of the page.
  package func undocumented() throws -> [String] {
    let text = try String(
      contentsOfFile: ScratchFolder.repository + "/docs/" + page, encoding: .utf8)
    let section = text.components(separatedBy: "\n## Events\n").dropFirst().first?
      .components(separatedBy: "\n## ")[0]
    var documented: [String: [String]] = [:]
    for row in (section ?? "").split(separator: "\n") where row.hasPrefix("| `") {
      let cells = row.components(separatedBy: " | ")
      guard cells.count > 1 else { continue }
      for type in Self.code(cells[0]) { documented[type] = Self.words(cells[1]) }
    }
    var found: [String] = []
    for event in Event.vocabulary.events {
      let keys = documented.removeValue(forKey: event.name)
      if keys != event.keys {
        found.append("\(event.name): \(event.keys), the page says \(keys ?? [])")
      }
    }
    return found + documented.keys.sorted().map { "\($0): there is no such event" }
  }

  /// The texts between backticks.
  private static func code(_ text: String) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }

  /// Those that are names, once each.
  private static func words(_ text: String) -> [String] {
    var words: [String] = []
    for word in code(text) where word.allSatisfy({ $0.isLetter || $0.isNumber }) {
      if !words.contains(word) { words.append(word) }
    }
    return words
  }

  /// Compares the files of schemas with the descriptions. `RECORD_SNAPSHOTS=1` records them.
  ///
  /// - Returns: the files that are not as they should be.
  package func staleSchemas() throws -> [String] {
    let folder = ScratchFolder.repository + "/docs/schemas/events/" + kind
    var stale: [String] = []
    var left = Set((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
    for event in Event.vocabulary.events {
      let file = "\(event.name).v\(event.version).json"
      left.remove(file)
      let path = folder + "/" + file
      let recorded = FileManager.default.contents(atPath: path).map { Array($0) } ?? []
      let document = Self.document(event)
      if (try? JSONValue.parse(recorded, file: file)) == document { continue }
      stale.append(file)
      if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
        try FileManager.default.createDirectory(
          atPath: folder, withIntermediateDirectories: true)
        try (Self.indented(document) + "\n").write(toFile: path, atomically: true, encoding: .utf8)
      }
    }
    return stale + left.sorted()
  }

  /// Compares files of schemas that people wrote with the descriptions. A file may narrow a description by what the
  /// program writes (a pattern, a least number) and say what a key means; its keys and types are those of the description.
  /// `RECORD_SNAPSHOTS=1` writes the files that are missing.
  ///
  /// - Returns: the files that are not as they should be.
  package func foreignSchemas(in folder: String, but others: Set<String>) throws -> [String] {
    let folder = ScratchFolder.repository + "/" + folder
    var foreign: [String] = []
    var left = Set(try FileManager.default.contentsOfDirectory(atPath: folder)).subtracting(others)
    for event in Event.vocabulary.events {
      let file = "\(event.name).v\(event.version).json"
      if others.contains(file) { continue }
      let document = Self.document(event)
      guard left.remove(file) != nil else {
        foreign.append(file)
        if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
          try (Self.indented(document) + "\n")
            .write(toFile: folder + "/" + file, atomically: true, encoding: .utf8)
        }
        continue
      }
      let bytes = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + file))
      let written = try JSONValue.parse(Array(bytes), file: file)
      if Self.shape(written) != Self.shape(document) { foreign.append(file) }
    }
    return foreign + left.sorted()
  }

  /// The keys and types of a schema.
  private static func shape(_ schema: JSONValue) -> JSONValue {
    guard case .object(let members) = schema else { return schema }
    let keys = ["type", "enum", "additionalProperties", "required", "properties", "items", "anyOf"]
    return .object(
      keys.compactMap { key in
        guard let value = members.first(where: { $0.key == key })?.value else { return nil }
        return JSONValue.Member(key: key, value: shape(of: key, value))
      })
  }

  private static func shape(of key: String, _ value: JSONValue) -> JSONValue {
    switch (key, value) {
    case ("properties", .object(let inner)):
      .object(inner.map { JSONValue.Member(key: $0.key, value: shape($0.value)) })
    case ("anyOf", .array(let choices)): .array(choices.map(shape))
    case ("items", _): shape(value)
    default: value
    }
  }

  private static func document(_ event: EventDescription<Event>) -> JSONValue {
    guard case .object(let members) = event.schema else { return event.schema }
    return .object(
      [
        JSONValue.Member(
          key: "$schema", value: .string("https://json-schema.org/draft/2020-12/schema")),
        JSONValue.Member(key: "title", value: .string("\(event.name), version \(event.version)")),
      ] + members)
  }

  private static func indented(_ value: JSONValue, _ indent: String = "\n") -> String {
    let inner = indent + "  "
    return switch value {
    case .object(let members) where !members.isEmpty:
      "{"
        + members.map { "\(inner)\(JSONValue.string($0.key)): \(indented($0.value, inner))" }
        .joined(separator: ",") + indent + "}"
    case .array(let elements) where !elements.isEmpty:
      "[" + elements.map { inner + indented($0, inner) }.joined(separator: ",") + indent + "]"
    default: value.description
    }
  }
}
