/// A JSON value as a tree, for upcasters and for events that are not in canonical form.
///
/// Members keep their order and keys are unique. Numbers keep their text, so nothing is rounded
/// before somebody says what type they have.
public enum JSONValue: Hashable, Sendable {
  public struct Member: Hashable, Sendable {
    public var key: String
    public var value: JSONValue

    public init(key: String, value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([Member])

  /// An object with these members, in this order.
  package static func members(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    .object(members.map { Member(key: $0.key, value: $0.value) })
  }

  /// The member of that key; nil if this is no object or has no such key.
  public subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
  }

  /// Reads one document of JSON and checks it by all the rules of `JSONReader`.
  package static func parse(
    _ bytes: UnsafeRawBufferPointer, isForeign: Bool = false
  ) throws(JSONError) -> JSONValue {
    var reader = JSONReader(bytes)
    reader.isForeign = isForeign
    try reader.validate()
    return try reader.readValue()
  }

  /// Reads one document of JSON by the same rules.
  package static func parse(
    _ bytes: [UInt8], isForeign: Bool = false
  ) throws(JSONError) -> JSONValue {
    try bytes.withRawBytes { (bytes) throws(JSONError) in try parse(bytes, isForeign: isForeign) }
  }

  /// Reads a text; nil if it is not JSON.
  package init?(text: String) {
    guard let value = try? JSONValue.parse(Array(text.utf8)) else { return nil }
    self = value
  }

  /// Reads a whole document of JSON (RFC 8259). Keys stand once in an object; numbers keep their text.
  ///
  /// ```swift
  /// let document = try JSONValue.parse(DocumentFile.load("shelf.json"), file: "shelf.json")
  /// ```
  /// - Parameters:
  ///   - file: what errors call the document.
  ///   - isForeign: whether another program wrote it, so that one odd value does not make all of it unreadable: half of a
  ///     surrogate pair is read as U+FFFD, and `\u0000` and numbers beyond a `Double` are for the caller to refuse.
  /// - Throws: `DocumentError` with line and column of the first thing that is wrong.
  public static func parse(
    _ bytes: [UInt8], file: String, isForeign: Bool = false
  ) throws(DocumentError) -> JSONValue {
    do throws(JSONError) {
      return try parse(bytes, isForeign: isForeign)
    } catch {
      throw bytes.withUnsafeBytes { DocumentError(error, in: $0, file: file) }
    }
  }

  package var type: JSONType {
    switch self {
    case .null: .null
    case .bool: .boolean
    case .number: .number
    case .string: .string
    case .array: .array
    case .object: .object
    }
  }
}

extension JSONReader {
  /// Reads the next value as a tree. Duplicate keys are for `validate()` to find, before.
  package mutating func readValue() throws(JSONError) -> JSONValue {
    switch try peekType() {
    case .null:
      _ = try readNull()
      return .null
    case .boolean: return .bool(try readBool())
    case .number: return .number(String(decoding: try scanNumber(), as: UTF8.self))
    case .string: return .string(try readString())
    case .array:
      var elements: [JSONValue] = []
      var cursor = try openArray()
      while try hasNext(in: &cursor) { elements.append(try readValue()) }
      return .array(elements)
    case .object:
      var members: [JSONValue.Member] = []
      var cursor = try openObject()
      while let key = try nextKey(in: &cursor) {
        members.append(JSONValue.Member(key: decode(key), value: try readValue()))
      }
      return .object(members)
    }
  }
}

extension JSONValue: CustomStringConvertible {
  /// JSON without white space.
  public var description: String {
    var writer = CanonicalWriter(bytes: [])
    writer.value(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension CanonicalWriter {
  package mutating func value(_ value: JSONValue) {
    switch value {
    case .null: raw("null")
    case .bool(let value): bool(value)
    case .number(let text): bytes.append(contentsOf: text.utf8)
    case .string(let text): string(text)
    case .array(let elements):
      raw("[")
      for (index, element) in elements.enumerated() {
        if index > 0 { raw(",") }
        self.value(element)
      }
      raw("]")
    case .object(let members):
      raw("{")
      for (index, member) in members.enumerated() {
        if index > 0 { raw(",") }
        string(member.key)
        raw(":")
        self.value(member.value)
      }
      raw("}")
    }
  }
}
