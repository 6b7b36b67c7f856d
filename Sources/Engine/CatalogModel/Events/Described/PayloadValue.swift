/// A Swift type whose values are stored in payloads of events.
///
/// Texts, whole numbers, numbers, truth values, ids and times are such types, and so are arrays and optionals of them. An enum
/// of texts needs only the name of the protocol: `enum Condition: String, CaseIterable, PayloadValue`. `PayloadObject` is
/// for objects.
public protocol PayloadValue: Sendable {
  /// The JSON Schema of a value.
  static var schema: JSONValue { get }

  /// - Throws: the reason why the JSON is not a value of this type. Its path begins at the value, which has none itself.
  static func read(_ value: JSONValue) throws(PayloadReader.Problem) -> Self

  func write(to data: inout PayloadWriter)

  /// Reads a value in canonical form, up to its end; nil if it has another form, which `read` judges. A type without such a
  /// reader is always read by `read`.
  static func read(canonical line: inout CanonicalLineReader) -> Self?

  /// Whether a part of a value has a limit.
  static var isLimited: Bool { get }

  /// A part of the value that goes beyond its limit; nil if there is none. The path begins at the value.
  ///
  /// - Parameter isNew: whether the event is about to be written: some limits are narrower then.
  func excess(isNew: Bool) -> PayloadReader.Problem?
}

extension PayloadValue {
  public static func read(canonical line: inout CanonicalLineReader) -> Self? { nil }

  public static var isLimited: Bool { false }

  public func excess(isNew: Bool) -> PayloadReader.Problem? { nil }
}

extension JSONValue {
  static func wrongType(_ value: JSONValue, _ wanted: String) -> PayloadReader.Problem {
    PayloadReader.Problem(
      path: "", message: "\(JSONExcerpt.printable(value.description)) is not \(wanted)")
  }
}

extension PayloadValue {
  static func wrongType(_ value: JSONValue, _ wanted: String) -> PayloadReader.Problem {
    JSONValue.wrongType(value, wanted)
  }

  /// A schema that names only a type of JSON.
  static func schema(_ type: String) -> JSONValue {
    .members(["type": .string(type)])
  }
}

/// In Unicode's normal form C and without U+0000: other texts are not written.
extension String: PayloadValue {
  public static var schema: JSONValue { schema("string") }

  public static func read(_ value: JSONValue) throws(PayloadReader.Problem) -> String {
    guard case .string(let text) = value else { throw wrongType(value, "a string") }
    return text
  }

  public static func read(canonical line: inout CanonicalLineReader) -> String? { line.string() }

  public func write(to data: inout PayloadWriter) { data.write(self) }
}

extension Int64: PayloadValue {
  public static var schema: JSONValue {
    .members([
      "type": .string("integer"), "minimum": .number(String(Int64.min)),
      "maximum": .number(String(Int64.max)),
    ])
  }

  public static func read(_ value: JSONValue) throws(PayloadReader.Problem) -> Int64 {
    guard case .value(let negative, let magnitude) = JSONNumber.integer(value),
      let integer = JSONNumber.int64(negative: negative, magnitude: magnitude)
    else { throw wrongType(value, "a whole number of 64 bits") }
    return integer
  }

  public static func read(canonical line: inout CanonicalLineReader) -> Int64? { line.int64() }

  public func write(to data: inout PayloadWriter) { data.write(self) }
}

extension UInt64: PayloadValue {
  public static var schema: JSONValue {
    .members([
      "type": .string("integer"), "minimum": .number("0"), "maximum": .number(String(UInt64.max)),
    ])
  }

  public static func read(_ value: JSONValue) throws(PayloadReader.Problem) -> UInt64 {
    guard case .value(let negative, let magnitude) = JSONNumber.integer(value), !negative else {
      throw wrongType(value, "a whole number from 0")
    }
    return magnitude
  }

  public static func read(canonical line: inout CanonicalLineReader) -> UInt64? {
    line.magnitude()
  }

  public func write(to data: inout PayloadWriter) { data.write(self) }
}

/// Finite: other numbers are not written.
extension Double: PayloadValue {
  public static var schema: JSONValue { schema("number") }

  public static func read(_ value: JSONValue) throws(PayloadReader.Problem) -> Double {
    guard case .number(var text) = value, let number = text.withUTF8({ JSONNumber.double($0) })
    else { throw wrongType(value, "a number") }
    return number
  }

  public static func read(canonical line: inout CanonicalLineReader) -> Double? { line.double() }

  public func write(to data: inout PayloadWriter) { data.write(self) }
}

extension Bool: PayloadValue {
  public static var schema: JSONValue { schema("boolean") }

  public static func read(_ value: JSONValue) throws(PayloadReader.Problem) -> Bool {
    guard case .bool(let flag) = value else { throw wrongType(value, "true or false") }
    return flag
  }

  public static func read(canonical line: inout CanonicalLineReader) -> Bool? { line.bool() }

  public func write(to data: inout PayloadWriter) { data.write(self) }
}

/// A UUID in lower case.
extension EntityID: PayloadValue {
  public static var schema: JSONValue {
    PayloadForm(
      "a UUID",
      pattern: "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
    ).schema
  }

  public static func read(_ value: JSONValue) throws(PayloadReader.Problem) -> EntityID {
    guard case .string(let text) = value, let id = EntityID(text) else {
      throw wrongType(value, "a UUID")
    }
    return id
  }

  public static func read(canonical line: inout CanonicalLineReader) -> EntityID? { line.id() }

  public func write(to data: inout PayloadWriter) { data.write(self) }
}

/// A text: `2026-01-31T12:00:00.000Z`.
extension Timestamp: PayloadValue {
  public static var schema: JSONValue {
    PayloadForm(
      "a time",
      pattern: "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3])"
        + ":[0-5][0-9]:[0-5][0-9][.][0-9]{3}Z$"
    ).schema
  }

  public static func read(_ value: JSONValue) throws(PayloadReader.Problem) -> Timestamp {
    guard let time = Timestamp(try String.read(value)) else { throw wrongType(value, "a time") }
    return time
  }

  public func write(to data: inout PayloadWriter) { data.write(description) }
}

extension PayloadValue where Self: RawRepresentable<String> & CaseIterable {
  public static var schema: JSONValue {
    .members(["enum": .array(allCases.map { .string($0.rawValue) })])
  }

  public static func read(_ value: JSONValue) throws(PayloadReader.Problem) -> Self {
    let text = try String.read(value)
    guard let choice = Self(rawValue: text) else {
      throw wrongType(value, "one of " + allCases.map(\.rawValue).joined(separator: ", "))
    }
    return choice
  }

  public static func read(canonical line: inout CanonicalLineReader) -> Self? {
    line.string().flatMap { Self(rawValue: $0) }
  }

  public func write(to data: inout PayloadWriter) { data.write(rawValue) }
}

/// `null` if nil.
extension Optional: PayloadValue where Wrapped: PayloadValue {
  public static var schema: JSONValue {
    guard case .object(var members) = Wrapped.schema,
      let place = members.firstIndex(where: { $0.key == "type" }), Wrapped.schema["enum"] == nil
    else {
      return .members(["anyOf": .array([Wrapped.schema, schema("null")])])
    }
    members[place].value = .array([members[place].value, .string("null")])
    return .object(members)
  }

  @inlinable
  public static func read(_ value: JSONValue) throws(PayloadReader.Problem) -> Wrapped? {
    if case .null = value { nil } else { try Wrapped.read(value) }
  }

  @inlinable
  public static func read(canonical line: inout CanonicalLineReader) -> Wrapped?? {
    if line.skip("null") { return .some(nil) }
    return Wrapped.read(canonical: &line).map { .some($0) }
  }

  public static var isLimited: Bool { Wrapped.isLimited }

  public func excess(isNew: Bool) -> PayloadReader.Problem? {
    flatMap { $0.excess(isNew: isNew) }
  }

  @inlinable
  public func write(to data: inout PayloadWriter) {
    if let self { self.write(to: &data) } else { data.writeNull() }
  }
}

extension Array: PayloadValue where Element: PayloadValue {
  public static var schema: JSONValue {
    .members(["type": .string("array"), "items": Element.schema])
  }

  public static func read(_ value: JSONValue) throws(PayloadReader.Problem) -> [Element] {
    guard case .array(let elements) = value else { throw wrongType(value, "an array") }
    var read: [Element] = []
    read.reserveCapacity(elements.count)
    for (place, element) in elements.enumerated() {
      do throws(PayloadReader.Problem) {
        read.append(try Element.read(element))
      } catch {
        throw error.below("[\(place)]")
      }
    }
    return read
  }

  @inlinable
  public static func read(canonical line: inout CanonicalLineReader) -> [Element]? {
    guard line.skip("[") else { return nil }
    var read: [Element] = []
    if line.skip("]") { return read }
    repeat {
      guard let element = Element.read(canonical: &line) else { return nil }
      read.append(element)
    } while line.skip(",")
    return line.skip("]") ? read : nil
  }

  public static var isLimited: Bool { Element.isLimited }

  public func excess(isNew: Bool) -> PayloadReader.Problem? {
    guard Self.isLimited else { return nil }
    for (place, element) in enumerated() {
      if let excess = element.excess(isNew: isNew) { return excess.below("[\(place)]") }
    }
    return nil
  }

  public func write(to data: inout PayloadWriter) {
    data.array(self) { element, data in element.write(to: &data) }
  }
}
