public import CatalogModel
import Foundation
import Support

/// A value of a row as an event holds it. Bytes are an object, `{"base64":"…"}`, and so is a text that is not in Unicode's
/// normal form C; in a column of the type `any` that is `{"text64":"…"}`.
extension Value: PayloadValue {
  public static var schema: JSONValue {
    let types: [JSONValue] = ["null", "number", "string"].map { .string($0) }
    let base64 = PayloadForm(
      "base64", pattern: "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$")
    // Only a kind that its log describes has columns of the type `any`, and with them `text64`.
    return .members([
      "anyOf": .array([
        .members(["type": .array(types)]),
        .members([
          "type": .string("object"), "additionalProperties": .bool(false),
          "required": .array([.string("base64")]),
          "properties": .members(["base64": base64.schema]),
        ]),
      ])
    ])
  }

  public static func read(_ value: JSONValue) throws(PayloadReader.Problem) -> Value {
    switch value {
    case .null: return .null
    case .string(let text): return .text(text)
    case .number(let number):
      // What the number is, its column says. A real number that is written has a fraction or an exponent.
      guard number.utf8.contains(where: { [0x2E, 0x45, 0x65].contains($0) }) else {
        return .integer(try Int64.read(value))
      }
      let real = try Double.read(value)
      guard let integer = try? Int64.read(value), Int64(exactly: real) != integer else {
        return .real(real)
      }
      // The digits with which a real number is written are those of a whole number that it is not, from 1e16 on.
      return try integer == Int64.read(.number(real.description)) ? .real(real) : .integer(integer)
    case .object:
      var members = try PayloadReader(value, path: "")
      let marked = try members.takeIfPresent("text64").map(String.read)
      let text = if let marked { marked } else { try members.string("base64") }
      try members.finish()
      guard let data = Data(base64Encoded: text) else {
        throw PayloadReader.Problem(
          path: marked == nil ? ".base64" : ".text64", message: "this is not base64")
      }
      if marked == nil { return .blob(Array(data)) }
      guard let text = String(validating: data, as: UTF8.self) else {
        throw PayloadReader.Problem(path: ".text64", message: "this is not a text in UTF-8")
      }
      return .text(text)
    case .bool, .array:
      throw PayloadReader.Problem(path: "", message: "this is not a value of a row")
    }
  }

  public func write(to data: inout PayloadWriter) {
    func write(_ bytes: Data) {
      data.object { $0.value("base64", bytes.base64EncodedString()) }
    }
    switch self {
    case .null: Int64?.none.write(to: &data)
    case .integer(let integer): integer.write(to: &data)
    case .real(let real): real.write(to: &data)
    case .text(let text):
      if !data.writeIfNormal(text) { write(Data(text.utf8)) }
    case .id(let id): id.write(to: &data)
    case .time(let time): time.write(to: &data)
    case .blob(let bytes): write(Data(bytes))
    }
  }

  public static func read(canonical line: inout CanonicalLineReader) -> Value? {
    switch line.next {
    case UInt8(ascii: "\""): return line.string().map { .text($0) }
    case UInt8(ascii: "n"): return line.skip("null") ? .null : nil
    case UInt8(ascii: "{"):
      guard line.skip("{\"base64\":"), let text = line.string(), line.skip("}"),
        let data = Data(base64Encoded: text)
      else { return nil }
      return .blob(Array(data))
    default: return line.number().flatMap { number($0) }
    }
  }

  /// The value of a number; nil if it takes more than a look at its bytes.
  private static func number(_ text: UnsafeBufferPointer<UInt8>) -> Value? {
    let isNegative = text[0] == UInt8(ascii: "-")
    // 18 digits fit into 64 bits.
    guard text.count <= 18 else { return general(text) }
    var magnitude: Int64 = 0
    for place in (isNegative ? 1 : 0)..<text.count {
      guard text[place] &- 0x30 < 10 else { return general(text) }
      magnitude = magnitude * 10 + Int64(text[place] &- 0x30)
    }
    return .integer(isNegative ? -magnitude : magnitude)
  }

  private static func general(_ text: UnsafeBufferPointer<UInt8>) -> Value? {
    // A fraction of so few digits is exact as a real number if it is a whole one. With an exponent it need not be.
    if text.count <= 15, !text.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }),
      let real = JSONNumber.double(text)
    {
      return .real(real)
    }
    // Not dropped: the other reader meets the same problem and names it.
    return try? read(.number(String(decoding: text, as: UTF8.self)))
  }
}

/// Rows of an event, as they are written and read.
///
/// Columns of the type `any` have texts and bytes, so that a text which is not in Unicode's normal form C is `{"text64":"…"}`
/// there. A type of its own, because generic arrays of arrays cost more than the values in them: an import has millions of these.
struct ValueRows: PayloadValue {
  let rows: [[Value]]
  /// The places of columns of the type `any`.
  private let mixed: Set<Int>

  init(_ rows: [[Value]], mixed: Set<Int> = []) {
    self.rows = rows
    self.mixed = mixed
  }

  static var schema: JSONValue { [[Value]].schema }

  static func read(_ value: JSONValue) throws(PayloadReader.Problem) -> ValueRows {
    ValueRows(try [[Value]].read(value))
  }

  func write(to data: inout PayloadWriter) {
    data.array(count: rows.count) { row, data in
      let values = rows[row]
      data.array(count: values.count) { place, data in
        guard !mixed.isEmpty, mixed.contains(place), case .text(let text) = values[place],
          !NormalForm.isNFC(text)
        else { return values[place].write(to: &data) }
        data.object { $0.value("text64", Data(text.utf8).base64EncodedString()) }
      }
    }
  }

  static func read(canonical line: inout CanonicalLineReader) -> ValueRows? {
    guard line.skip("[") else { return nil }
    var rows: [[Value]] = []
    if line.skip("]") { return ValueRows(rows) }
    repeat {
      guard line.skip("[") else { return nil }
      var row: [Value] = []
      // As many as the row before has.
      row.reserveCapacity(rows.last?.count ?? 0)
      if !line.skip("]") {
        repeat {
          guard let value = Value.read(canonical: &line) else { return nil }
          row.append(value)
        } while line.skip(",")
        guard line.skip("]") else { return nil }
      }
      rows.append(row)
    } while line.skip(",")
    return line.skip("]") ? ValueRows(rows) : nil
  }
}
