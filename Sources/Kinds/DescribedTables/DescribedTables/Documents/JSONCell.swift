import CatalogModel
import Projections

/// Makes values of a column from values of JSON.
enum JSONCell {
  /// Reads the next value, which is not null, and appends what it is in a column.
  ///
  /// A number, a time, an id or a flag may also be the text of one, as programs write them.
  ///
  /// - Returns: what is wrong with the value; nil if it was appended.
  static func append(
    _ json: inout JSONReader, _ parser: CellParser, to row: inout RowBuffer
  ) throws(JSONError) -> ValueProblem? {
    let type = parser.column.type
    switch (try json.peekType(), type) {
    case (_, .json): return try appendTree(&json, type, to: &row)
    case (.string, _):
      let text = try json.readText()
      if text.hasEscapes {
        return json.decodedBytes(text).withUnsafeBytes { appendText($0, parser, to: &row) }
      }
      return appendText(UnsafeRawBufferPointer(json.raw(text)), parser, to: &row)
    case (.number, .integer), (.number, .number):
      return parser.append(UnsafeRawBufferPointer(try json.scanNumber()), to: &row)
    default: return try appendTree(&json, type, to: &row)
    }
  }

  private static func appendText(
    _ bytes: UnsafeRawBufferPointer, _ parser: CellParser, to row: inout RowBuffer
  ) -> ValueProblem? {
    switch parser.column.type {
    case .text, .any:
      row.append(text: bytes)
      return nil
    default:
      guard !bytes.isEmpty else {
        return ValueProblem("is not \(parser.column.type.noun)", advice: "write null")
      }
      return parser.append(bytes, to: &row)
    }
  }

  private static func appendTree(
    _ json: inout JSONReader, _ type: DescribedType, to row: inout RowBuffer
  ) throws(JSONError) -> ValueProblem? {
    let tree = try json.readValue()
    do throws(ValueProblem) {
      row.append(try value(tree, type))
      return nil
    } catch {
      return error
    }
  }

  private static func value(
    _ tree: JSONValue, _ type: DescribedType
  ) throws(ValueProblem) -> Value {
    switch (type, tree) {
    case (.any, .array): return try DescribedType.json.value(of: tree)
    case (.any, .object) where tree["base64"] == nil: return try DescribedType.json.value(of: tree)
    case (.text, .number), (.text, .bool):
      throw ValueProblem(
        "is not a text", advice: "describe the column as \(typeName(of: tree)), or as json")
    default: return try type.value(of: tree)
    }
  }

  private static func typeName(of tree: JSONValue) -> String {
    if case .bool = tree { return "flag" }
    return "number"
  }

  /// A value for people.
  static func shown(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .integer(let integer): String(integer)
    case .real(let real): "\(real)"
    case .text(let text): "\"\(JSONExcerpt.printable(text))\""
    case .id(let id): "\"\(id)\""
    case .time(let time): "\"\(time)\""
    case .blob(let bytes): "\(bytes.count) bytes"
    }
  }
}
