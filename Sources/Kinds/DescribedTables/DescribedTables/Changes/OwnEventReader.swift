package import CatalogModel
import Projections

/// Makes events of a kind's own from what people and programs write.
package struct OwnEventReader: Sendable {
  private let description: KindDescription

  package init(_ kind: DescribedKind) {
    description = kind.description
  }

  /// Makes an event from texts: `sku=SKU-00001`.
  ///
  /// - Throws: `DocumentError` with all that is wrong.
  package func event(
    _ name: String, _ texts: [(name: String, text: String)]
  ) throws(DocumentError) -> TableEvent {
    let event = try event(name)
    var faults: [DocumentError] = []
    var members: [JSONValue.Member] = []
    for (key, text) in texts {
      guard let member = event.member(key) else {
        faults.append(unknown(key, event))
        continue
      }
      guard !members.contains(where: { $0.key == key }) else {
        faults.append(fault(event, key, .duplicateKey, "is there twice", "write it once"))
        continue
      }
      do throws(ValueProblem) {
        members.append(JSONValue.Member(key: key, value: try member.json(of: text)))
      } catch {
        faults.append(
          fault(
            event, key, .invalidValue, "\"\(JSONExcerpt.printable(text))\" \(error.message)",
            error.advice))
      }
    }
    return try made(event, members, faults)
  }

  /// Makes an event from the members of a JSON object.
  ///
  /// - Throws: `DocumentError` with all that is wrong.
  package func event(
    _ name: String, _ members: [JSONValue.Member]
  ) throws(DocumentError) -> TableEvent {
    let event = try event(name)
    var faults: [DocumentError] = []
    for member in members {
      guard let form = event.member(member.key) else {
        faults.append(unknown(member.key, event))
        continue
      }
      if member.value == .null, form.isOptional { continue }
      do throws(ValueProblem) {
        _ = try form.type.logged(member.value)
      } catch {
        faults.append(
          fault(
            event, member.key, .invalidValue,
            "\(JSONExcerpt.printable(member.value.description)) \(error.message)", error.advice))
      }
    }
    return try made(event, members, faults)
  }

  private func made(
    _ event: OwnEvent, _ members: [JSONValue.Member], _ faults: [DocumentError]
  ) throws(DocumentError) -> TableEvent {
    var faults = faults
    let given = Set(members.map(\.key))
    for member in event.members where !given.contains(member.name) && !member.isOptional {
      faults.append(
        fault(
          event, member.name, .missingKey, "is missing",
          "write \(member.name)=…, \(member.type.noun)"))
    }
    if let error = DocumentError(joining: faults) { throw error }
    // In the order of the description, so that the same event has the same bytes.
    return .own(
      OwnRecord(
        event.name,
        members: event.members.compactMap { form in
          members.first { $0.key == form.name }
            .map { JSONValue.Member(key: $0.key, value: $0.value.loggable(form.type)) }
        }))
  }

  private func event(_ name: String) throws(DocumentError) -> OwnEvent {
    if let event = description.event(name) { return event }
    let known = description.events.map(\.name)
    throw DocumentError(
      code: .invalidValue, file: name, message: "is not an event of this catalog",
      advice: known.isEmpty
        ? "its description has no events" : NearMiss.advice(for: name, among: known))
  }

  private func unknown(_ key: String, _ event: OwnEvent) -> DocumentError {
    fault(
      event, JSONExcerpt.printable(key), .unknownKey, "is not a member",
      NearMiss.advice(for: key, among: event.members.map(\.name)))
  }

  private func fault(
    _ event: OwnEvent, _ key: String, _ code: DocumentError.Code, _ message: String,
    _ advice: String?
  ) -> DocumentError {
    DocumentError(code: code, file: event.name, path: key, message: message, advice: advice)
  }
}

extension OwnEvent.Member {
  /// The JSON of a text that a person writes for the member.
  fileprivate func json(of text: String) throws(ValueProblem) -> JSONValue {
    if text.isEmpty, isOptional { return .null }
    let json: JSONValue
    switch type {
    case .text, .time, .id: json = .string(text)
    case .flag:
      json = ["true": .bool(true), "false": .bool(false)][text] ?? .number(text)
    default:
      guard let parsed = JSONValue(text: text) else { throw ValueProblem("is not \(type.noun)") }
      json = parsed
    }
    _ = try type.value(of: json)
    return json
  }
}
