import CatalogModel
import LibC

/// The facts about the values of one column of a document that its type follows from.
struct ColumnEvidence {
  let name: String
  private(set) var count = 0
  private(set) var emptyCount = 0
  private var isInteger = true
  private var isNumber = true
  private var isFlag = true
  /// Whether each value would be a number with a comma before its fraction, and one has one.
  private var isCommaNumber = true
  private var hasComma = false
  /// The types of JSON that a document with types has here.
  private var types: Set<JSONType> = []
  private var textLength = 0
  /// The hashes of the values; nil if two are equal, or one is empty.
  private(set) var distinct: Set<UInt64>? = []
  private let decimal: UInt8

  init(_ name: String, decimal: UInt8) {
    self.name = name
    self.decimal = decimal
  }

  /// Whether each row has another value, and none has none.
  var isUnique: Bool { distinct != nil && count > 0 }

  /// How long the values are on average.
  var meanLength: Int { count == 0 ? 0 : textLength / count }

  /// Whether a version of the document does not have the column.
  private(set) var isAbsentSomewhere = false

  /// Adds the evidence of another version of the document. A column is unique if it is unique in each of them.
  ///
  /// - Parameter other: of the column with the same name; nil if that version has none.
  mutating func merge(_ other: ColumnEvidence?) {
    guard let other else {
      isAbsentSomewhere = true
      distinct = nil
      return
    }
    isAbsentSomewhere = isAbsentSomewhere || other.isAbsentSomewhere
    count += other.count
    emptyCount += other.emptyCount
    isInteger = isInteger && other.isInteger
    isNumber = isNumber && other.isNumber
    isFlag = isFlag && other.isFlag
    isCommaNumber = isCommaNumber && other.isCommaNumber
    hasComma = hasComma || other.hasComma
    types.formUnion(other.types)
    textLength += other.textLength
    distinct = distinct == nil || other.distinct == nil ? nil : []
  }

  /// Adds a value of a document without types.
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    count += 1
    textLength += bytes.count
    guard !bytes.isEmpty else {
      emptyCount += 1
      distinct = nil
      return
    }
    note(bytes)
    if isNumber || isFlag || isCommaNumber { weigh(bytes) }
  }

  /// Adds a value of JSON; nil if the member is absent.
  mutating func add(_ value: JSONValue?) {
    count += 1
    guard let value, value != .null else {
      emptyCount += 1
      distinct = nil
      return
    }
    var text = ""
    switch value {
    case .string(let string): text = string
    case .number(let number): text = number
    default: text = value.sorted.description
    }
    types.insert(value.type == .array ? .object : value.type)
    isNumber = isNumber && value.type == .number
    isFlag = isFlag && value.type == .boolean
    isCommaNumber = false
    text.withUTF8 { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      textLength += bytes.count
      note(bytes)
      if isNumber { weigh(bytes) }
    }
  }

  private mutating func note(_ bytes: UnsafeRawBufferPointer) {
    guard distinct != nil else { return }
    if distinct?.insert(RowHash.of(bytes)).inserted == false { distinct = nil }
  }

  private mutating func weigh(_ bytes: UnsafeRawBufferPointer) {
    if isNumber {
      switch Self.spelling(bytes, decimal) {
      case .integer: break
      case .number: isInteger = false
      case .other: isNumber = false
      }
    }
    if isFlag {
      isFlag = ["true", "false", "TRUE", "FALSE", "True", "False"].contains {
        $0.utf8.elementsEqual(bytes)
      }
    }
    if isCommaNumber, decimal == 0x2E {
      switch Self.spelling(bytes, 0x2C) {
      case .integer: break
      case .number: hasComma = true
      case .other: isCommaNumber = false
      }
    } else {
      isCommaNumber = false
    }
  }

  private enum Spelling {
    case integer, number, other
  }

  /// How a number is spelt that keeps its spelling: `12` and `12.50`, but not `007`, `+5`, `1e3` or `-0`.
  private static func spelling(_ bytes: UnsafeRawBufferPointer, _ decimal: UInt8) -> Spelling {
    var index = bytes.first == 0x2D ? 1 : 0
    let start = index
    while index < bytes.count, bytes[index].isASCIIDigit { index += 1 }
    let digits = index - start
    guard digits > 0, digits == 1 || bytes[start] != 0x30 else { return .other }
    if index == bytes.count {
      if bytes[start] == 0x30 { return start == 0 ? .integer : .other }
      guard digits > 15 else { return .integer }
      let number = JSONNumber.integer(bytes.assumingMemoryBound(to: UInt8.self))
      if case .value(let negative, let magnitude) = number,
        JSONNumber.int64(negative: negative, magnitude: magnitude) != nil
      {
        return .integer
      }
      return .other
    }
    guard bytes[index] == decimal, index + 1 < bytes.count,
      bytes[(index + 1)...].allSatisfy(\.isASCIIDigit)
    else { return .other }
    guard bytes.count > 16 || start == 1 else { return .number }
    guard let number = DecimalText(bytes, decimal: decimal), !number.isNegativeZero,
      (try? number.double()) != nil
    else { return .other }
    return .number
  }

  /// The type that fits all values.
  var type: DescribedType {
    if count == emptyCount { return .text }
    // The canonical text of JSON keeps values of several types apart.
    if types.count > 1 || types == [.object] { return .json }
    if isFlag { return .flag }
    // Numbers of JSON have no spelling to keep.
    guard isNumber, !Self.isCode(name) || types == [.number] else {
      return types == [.number] ? .json : .text
    }
    return isInteger ? .integer : .number
  }

  /// Whether a row may be without a value. Texts of documents without types are empty then.
  func isOptional(hasTypes: Bool) -> Bool {
    isAbsentSomewhere || emptyCount > 0 && (hasTypes || type != .text)
  }

  /// Whether the values are numbers with a comma before the fraction.
  var looksLikeDecimalComma: Bool { isCommaNumber && hasComma && count > emptyCount }

  /// Names of numbers that are labels: their spelling counts, and not their value.
  static func isCode(_ name: String) -> Bool {
    let parts = parts(name)
    let codes: Set<String> = [
      "ean", "gtin", "upc", "isbn", "issn", "zip", "zipcode", "postcode", "postalcode", "plz",
      "phone", "telephone", "tel", "mobile", "fax", "iban", "vat",
    ]
    return parts.contains { codes.contains($0) } || codes.contains(parts.joined())
  }

  /// Whether a name is that of something which no two things have.
  static func isIdentifier(_ name: String) -> Bool {
    let parts = parts(name)
    let identifiers: Set<String> = [
      "ean", "gtin", "upc", "isbn", "issn", "uuid", "guid", "slug", "sku", "iban", "id",
    ]
    return parts.last.map(identifiers.contains) ?? false
  }

  /// The words of a name, in small letters: `productID` and `product_id` have `product` and `id`.
  static func parts(_ name: String) -> [String] {
    var parts: [String] = []
    var part = ""
    var wasSmall = false
    for scalar in name.unicodeScalars {
      let isLetter = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
      let isCapital = scalar.properties.isUppercase
      if !isLetter || isCapital && wasSmall {
        if !part.isEmpty { parts.append(part) }
        part = ""
      }
      if isLetter { part += String(scalar).lowercased() }
      wasSmall = isLetter && !isCapital
    }
    if !part.isEmpty { parts.append(part) }
    return parts
  }
}

/// A hash of some bytes of a row. It is another one in each process.
enum RowHash {
  static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(bytes: bytes)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  /// The hash of two values together.
  static func of(_ left: UInt64, _ right: UInt64) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(left)
    hasher.combine(right)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}
