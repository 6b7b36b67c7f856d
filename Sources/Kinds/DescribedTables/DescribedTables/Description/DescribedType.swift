public import CatalogModel
public import Projections

/// The type of a described column, or of a member of an event.
public enum DescribedType: String, CaseIterable, Hashable, Sendable {
  case text
  /// A whole number of 64 bits.
  case integer
  /// A number that a `Double` holds; two spellings of a number are equal.
  case number
  case blob
  /// True or false, in the table 1 or 0.
  case flag
  /// A moment, as ISO 8601; in the table `2026-01-31T12:00:00.000Z`.
  case time
  /// A UUID.
  case id
  /// A JSON value, in the table its text without white space and with the members of objects in order.
  case json
  /// Any value of SQLite, with its type.
  case any

  /// The type of the values that rows have.
  public var columnType: ColumnType {
    switch self {
    case .integer, .flag: .integer
    case .number: .real
    case .blob: .blob
    case .id: .id
    // A time is content here, and a column of the type `time` is not compared in receipts of the content.
    case .text, .time, .json: .text
    case .any: .any
    }
  }

  /// Whether a column of the type can be in a key.
  public var canBeKey: Bool {
    switch self {
    case .text, .integer, .flag, .time, .id: true
    case .number, .blob, .json, .any: false
    }
  }

  /// The type with an article: `a whole number`.
  public var noun: String {
    switch self {
    case .text: "a text"
    case .integer: "a whole number"
    case .number: "a number"
    case .blob: "bytes"
    case .flag: "true or false"
    case .time: "a time"
    case .id: "a UUID"
    case .json: "JSON"
    case .any: "a value"
    }
  }

  /// Types that people write for those that exist.
  static let otherNames: [String: DescribedType] = [
    "string": .text, "str": .text, "varchar": .text, "char": .text, "int": .integer,
    "bigint": .integer, "long": .integer, "real": .number, "float": .number, "double": .number,
    "decimal": .number, "numeric": .number, "bool": .flag, "boolean": .flag, "date": .time,
    "datetime": .time, "timestamp": .time, "uuid": .id, "bytes": .blob, "binary": .blob,
    "object": .json, "array": .json,
  ]
}

/// Why a value is not one of a type. The message continues the value: `is not a whole number`.
public struct ValueProblem: Error, Hashable, Sendable {
  public var message: String
  public var advice: String?

  public init(_ message: String, advice: String? = nil) {
    self.message = message
    self.advice = advice
  }
}

extension DescribedType {
  /// The value of a column of this type for a JSON value that is not null.
  ///
  /// A blob is `{"base64": "…"}`.
  public func value(of json: JSONValue) throws(ValueProblem) -> Value {
    switch (self, json) {
    case (.json, _): return .text(json.sorted.description)
    case (.text, .string(let text)):
      guard !text.utf8.contains(0) else { throw ValueProblem("holds U+0000") }
      return .text(text)
    case (.integer, .number(let text)): return .integer(try integer(text))
    case (.number, .number(let text)): return .real(try number(text))
    case (.flag, .bool(let flag)): return .flag(flag)
    case (.flag, .number("0")): return .integer(0)
    case (.flag, .number("1")): return .integer(1)
    case (.time, .string(let text)):
      guard let time = Timestamp(text) else { throw misfit }
      return .text(time.description)
    case (.id, .string(let text)):
      guard let id = EntityID(text) else { throw misfit }
      return .id(id)
    case (.any, .object(let members))
    where members.count == 1 && members[0].key == "text64":
      guard case .string(let base64) = members[0].value, let bytes = Base64.bytes(base64),
        let text = String(validating: bytes, as: UTF8.self)
      else { throw misfit }
      return try DescribedType.text.value(of: .string(text))
    case (.blob, .object), (.any, .object):
      guard case .object(let members) = json, members.count == 1,
        case .string(let text)? = json["base64"], let bytes = Base64.bytes(text)
      else { throw misfit }
      return .blob(bytes)
    case (.any, .string(let text)): return try DescribedType.text.value(of: .string(text))
    case (.any, .bool(let flag)): return .flag(flag)
    case (.any, .number(let text)):
      let isInteger = text.utf8.allSatisfy { $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
      return isInteger ? .integer(try integer(text)) : .real(try number(text))
    default: throw misfit
    }
  }

  private var misfit: ValueProblem {
    switch self {
    case .time:
      ValueProblem("is not a time", advice: "write it as 2026-01-31T12:00:00Z")
    case .blob: ValueProblem("is not bytes", advice: "write {\"base64\": \"…\"}")
    default: ValueProblem("is not \(noun)")
    }
  }

  private func integer(_ text: String) throws(ValueProblem) -> Int64 {
    switch JSONNumber.integer(.number(text)) {
    case .value(let negative, let magnitude):
      if let integer = JSONNumber.int64(negative: negative, magnitude: magnitude) {
        return integer
      }
      fallthrough
    case .outOfRange: throw ValueProblem("does not fit into 64 bits", advice: "make it a text")
    case .fraction: throw ValueProblem("is not a whole number")
    }
  }

  /// A whole number that a `Double` does not hold exactly is refused, not rounded.
  private func number(_ text: String) throws(ValueProblem) -> Double {
    guard let real = Double(text), real.isFinite else {
      throw ValueProblem("is too large for a number", advice: "make it a text")
    }
    if case .value(let negative, let magnitude) = JSONNumber.integer(.number(text)) {
      let exact = UInt64(exactly: real.magnitude) == magnitude && (real < 0) == negative
      guard exact || magnitude == 0 else {
        throw ValueProblem(
          "cannot be kept exactly as a number", advice: "make the column an integer or a text")
      }
    }
    // There is one zero.
    return real + 0
  }
}

extension JSONValue {
  /// The value with the members of each object in the order of their keys' bytes.
  var sorted: JSONValue {
    switch self {
    case .array(let elements): .array(elements.map(\.sorted))
    case .object(let members):
      .object(
        members.map { Member(key: $0.key, value: $0.value.sorted) }
          .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
    default: self
    }
  }
}
