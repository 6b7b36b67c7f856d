import CatalogModel
import Foundation
import LibC
package import Projections
import Support

/// Advice about faults that each program words for itself: with an option, a member of a description, or a button.
package struct DocumentWords: Sendable {
  package var decimalComma = "\"decimal\": \",\" in the document's description reads it"
  package var encoding = "\"encoding\" in the document's description names another one"
  package var otherLength =
    "\"rowsOfOtherLength\": \"set aside\" in the document's description leaves such rows as they are"
  package var twice = "\"twice\": \"first\" in the document's description takes the first"
  /// Advice about a column, or a member, that the description does not have, with the name of the document.
  package var others: @Sendable (String) -> String = { name in
    "leave it out, or let \"documents\": {\"\(JSONExcerpt.printable(name))\": {\"others\": \"drop\"}} in the description pass over it"
  }
  /// Advice about a column that only a document with all rows of its table needs.
  package var part = "import it as a part of the table"
  package var removal = "\"removed\": \"any\" in the document's description takes it"

  package var database = "adopt the database as a whole"
  package var older = "import the newer one"
  package var wholeRow = "the whole row can be the key"
  package var unterminated = "end its last line if it is complete"
  /// Advice to leave out a table, or a column (`users.photo`), of a database.
  package var leavingOut: @Sendable (String) -> String = { "leave \($0) out" }
  /// Advice about a table, or a column (`users.mail`), that a database has no more, with the names that it may have now, and
  /// whether there is one that has its contents.
  package var gone: @Sendable (String, [String], Bool) -> String = { name, _, _ in
    "drop \(name), or say which name it has now"
  }
  /// Advice to name the key of a table of a database.
  package var key: @Sendable (String) -> String = { "name another key of \($0)" }

  package init() {}
}

/// Makes values of a column from the texts of a document.
///
/// A class, because its words and names would be copied for each of ten million cells.
final class CellParser {
  let column: DescribedColumn
  let form: Form
  private let type: DescribedType
  private let decimal: UInt8
  /// Whether an empty value in quotation marks is a text, and one without is NULL.
  private let tellsQuotedEmpty: Bool
  private let words: DocumentWords

  /// The part of a parser that the most frequent values need.
  struct Form {
    let type: DescribedType
    let decimal: UInt8
    let isEmptyNull: Bool

    /// Appends the value of a text of a usual form.
    ///
    /// - Returns: false if the parser has to look at it; nothing was appended then.
    @inline(__always)
    func append(_ bytes: UnsafeRawBufferPointer, to row: inout RowBuffer) -> Bool {
      switch type {
      case .text where !bytes.isEmpty || !isEmptyNull: row.append(text: bytes)
      case .integer:
        guard let integer = CellParser.shortInteger(bytes) else { return false }
        row.append(integer: integer)
      case .number:
        guard let real = CellParser.shortNumber(bytes, decimal) else { return false }
        row.append(real: real)
      default: return false
      }
      return true
    }
  }

  init(_ column: DescribedColumn, _ options: CSVOptions, _ words: DocumentWords) {
    self.column = column
    type = column.type
    decimal = options.decimal
    form = Form(type: column.type, decimal: options.decimal, isEmptyNull: options.empty != .text)
    tellsQuotedEmpty = options.empty == .null
    self.words = words
  }

  /// Appends the value of a text.
  ///
  /// - Parameters:
  ///   - bytes: UTF-8 without U+0000.
  ///   - isQuoted: whether the text is in quotation marks.
  /// - Returns: what is wrong with the text; nil if its value was appended.
  func append(
    _ bytes: UnsafeRawBufferPointer, isQuoted: Bool = false, to row: inout RowBuffer
  ) -> ValueProblem? {
    if form.append(bytes, to: &row) { return nil }
    do throws(ValueProblem) {
      if bytes.isEmpty, isQuoted, tellsQuotedEmpty, [.text, .any].contains(type) {
        row.append(text: bytes)
        return nil
      }
      try appendOther(bytes, to: &row)
      return nil
    } catch {
      return error
    }
  }

  private func appendOther(
    _ bytes: UnsafeRawBufferPointer, to row: inout RowBuffer
  ) throws(ValueProblem) {
    guard !bytes.isEmpty else {
      guard column.isOptional else {
        if type == .any { return row.append(text: bytes) }
        throw ValueProblem("is empty, and the column needs \(type.noun)")
      }
      return row.appendNull()
    }
    switch type {
    case .text, .any: row.append(text: bytes)
    case .integer, .number, .flag: try appendNumber(Self.trimmed(bytes), to: &row)
    case .time: row.append(text: try Self.time(Self.trimmed(bytes)))
    case .id:
      guard let id = EntityID(utf8: Self.trimmed(bytes)) else {
        throw ValueProblem(
          "is not a UUID", advice: "write it as xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")
      }
      row.append(id: id)
    case .json: row.append(text: try Self.json(bytes))
    case .blob:
      guard let blob = Self.blob(bytes) else {
        throw ValueProblem("is not bytes", advice: "write them in base64, or as x'0f…'")
      }
      blob.withUnsafeBytes { row.append(blob: $0) }
    }
  }

  // MARK: Numbers

  private func appendNumber(
    _ bytes: UnsafeRawBufferPointer, to row: inout RowBuffer
  ) throws(ValueProblem) {
    if type == .flag {
      guard let flag = Self.flag(bytes) else {
        throw ValueProblem("is not true or false", advice: "write 1 or 0")
      }
      return row.append(integer: flag ? 1 : 0)
    }
    guard let number = DecimalText(bytes, decimal: decimal) else { throw misfit(bytes) }
    if type == .number {
      guard !number.isNegativeZero else {
        throw ValueProblem("is a zero with a minus", advice: "write 0")
      }
      return row.append(real: try number.double())
    }
    switch number.integer {
    case .value(let negative, let magnitude):
      if let integer = JSONNumber.int64(negative: negative, magnitude: magnitude) {
        return row.append(integer: integer)
      }
      fallthrough
    case .outOfRange:
      throw ValueProblem("does not fit into 64 bits", advice: "describe the column as text")
    case .fraction:
      throw ValueProblem("is not a whole number", advice: "describe the column as number")
    }
  }

  /// Says what is wrong with a text that is no number.
  private func misfit(_ bytes: UnsafeRawBufferPointer) -> ValueProblem {
    let other: UInt8 = decimal == 0x2E ? 0x2C : 0x2E
    let marks = bytes.count { $0 == 0x2E || $0 == 0x2C }
    let advice: String? =
      if decimal == 0x2E, DecimalText(bytes, decimal: other) != nil {
        words.decimalComma
      } else if marks > 0,
        bytes.allSatisfy({ $0.isASCIIDigit || [0x2E, 0x2C, 0x2D, 0x27, 0x20].contains($0) })
      {
        "write it without separators of thousands, with \(decimal == 0x2E ? "a point" : "a comma") before the fraction"
      } else {
        nil
      }
    return ValueProblem("is not \(type.noun)", advice: advice)
  }

  /// A whole number of at most 18 digits without a plus.
  @inline(__always)
  fileprivate static func shortInteger(_ bytes: UnsafeRawBufferPointer) -> Int64? {
    let isNegative = bytes.first == 0x2D
    var index = isNegative ? 1 : 0
    guard bytes.count > index, bytes.count - index <= 18 else { return nil }
    var value: Int64 = 0
    while index < bytes.count {
      let digit = bytes[index] &- 0x30
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int64(digit)
      index += 1
    }
    return isNegative ? -value : value
  }

  /// A number of at most 15 digits: both the digits and the power of ten are exact doubles then, so that one division rounds
  /// correctly (Clinger 1990).
  @inline(__always)
  fileprivate static func shortNumber(_ bytes: UnsafeRawBufferPointer, _ decimal: UInt8) -> Double?
  {
    let isNegative = bytes.first == 0x2D
    var index = isNegative ? 1 : 0
    guard bytes.count > index, bytes.count - index <= 16 else { return nil }
    var mantissa: Int64 = 0
    var digits = 0
    var pointAt = -1
    while index < bytes.count {
      let byte = bytes[index]
      let digit = byte &- 0x30
      if digit < 10 {
        mantissa = mantissa &* 10 &+ Int64(digit)
        digits += 1
      } else {
        guard byte == decimal, pointAt < 0, digits > 0 else { return nil }
        pointAt = index
      }
      index += 1
    }
    guard digits > 0, digits <= 15 else { return nil }
    if mantissa == 0, isNegative { return nil }
    let fraction = pointAt < 0 ? 0 : bytes.count - 1 - pointAt
    guard pointAt < 0 || fraction > 0 else { return nil }
    let magnitude = fraction == 0 ? Double(mantissa) : Double(mantissa) / powersOfTen[fraction]
    return isNegative ? -magnitude : magnitude
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]

  private static func flag(_ bytes: UnsafeRawBufferPointer) -> Bool? {
    switch String(decoding: bytes, as: UTF8.self).lowercased() {
    case "1", "true", "t", "yes": true
    case "0", "false", "f", "no": false
    default: nil
    }
  }

  // MARK: Others

  /// Without spaces before and after.
  private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var (start, end) = (0, bytes.count)
    while start < end, bytes[start] == 0x20 { start += 1 }
    while start < end, bytes[end - 1] == 0x20 { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
  }

  /// The canonical text of a time.
  static func time(_ bytes: UnsafeRawBufferPointer) throws(ValueProblem) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let time = Timestamp(utf8: bytes) ?? Timestamp.typed(text) else {
      throw ValueProblem("is not a time", advice: "write it as 2026-01-31T12:00:00Z")
    }
    // Digits of a fraction beyond the third.
    let fraction = text.utf8.drop { $0 != 0x2E && $0 != 0x2C }.dropFirst()
    let lost = fraction.prefix { $0.isASCIIDigit }.dropFirst(3)
    guard lost.allSatisfy({ $0 == 0x30 }) else {
      throw ValueProblem(
        "is more exact than a time, which has milliseconds",
        advice: "describe the column as text")
    }
    return time.description
  }

  private static func json(_ bytes: UnsafeRawBufferPointer) throws(ValueProblem) -> String {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue.parse(bytes)
    } catch {
      throw ValueProblem("is not JSON: \(error.message)", advice: error.advice)
    }
    guard case .text(let text) = try DescribedType.json.value(of: value) else { return "" }
    return text
  }

  /// Bytes in base64, or in hexadecimal digits as SQLite (`x'0f'`) and PostgreSQL (`\x0f`) write them.
  private static func blob(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    let text = String(decoding: bytes, as: UTF8.self)
    if text.hasPrefix("\\x") { return Hex.bytes(String(text.dropFirst(2))) }
    if text.lowercased().hasPrefix("x'"), text.hasSuffix("'") {
      return Hex.bytes(String(text.dropFirst(2).dropLast()))
    }
    return Data(base64Encoded: text).map { Array($0) }
  }

}

extension DescribedType {
  /// The value of a text that a person writes: as import reads it, in the place of a value that is not empty.
  package func value(ofText text: String) throws(ValueProblem) -> Value {
    var cell = RowBuffer()
    let parser = CellParser(DescribedColumn("value", self), CSVOptions(), DocumentWords())
    var text = text
    if let problem = text.withUTF8({ parser.append(UnsafeRawBufferPointer($0), to: &cell) }) {
      throw problem
    }
    return cell.firstValue
  }
}
