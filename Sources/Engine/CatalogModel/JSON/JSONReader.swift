/// A strict pull reader of RFC 8259 JSON over bytes that the caller keeps alive.
///
/// Refused beyond the grammar: invalid UTF-8, lone surrogates, U+0000 and raw control characters in
/// strings, the same key twice in an object (compared after decoding escapes), nesting deeper than
/// `depthLimit`, a byte order mark, numbers beyond a finite `Double`.
///
/// Reading a document takes two passes: first `validate()` over all of it, so that a syntax error anywhere is reported before
/// an error of shape, then the typed reads. Only `validate()` looks for duplicate keys.
package struct JSONReader {
  /// Arrays and objects may be nested this deep.
  package static let depthLimit = 256

  let bytes: UnsafeBufferPointer<UInt8>
  /// Offset of the next byte to be read.
  package var position = 0
  var depth = 0
  /// Whether another program wrote the document: halves of surrogate pairs, U+0000 and numbers beyond a `Double` are
  /// taken then, and are the fault of the value that has them.
  var isForeign = false

  package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes.bindMemory(to: UInt8.self)
  }

  // MARK: Tokens

  /// The next byte, or 0 at the end: 0 stands nowhere in JSON, so it falls into every error branch.
  @inline(__always)
  func peek() -> UInt8 {
    position < bytes.count ? bytes[position] : 0
  }

  @inline(__always)
  mutating func skipWhitespace() {
    while position < bytes.count {
      let byte = bytes[position]
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
      position += 1
    }
  }

  /// Offset of the next value or punctuation, behind any white space.
  package var nextOffset: Int {
    var copy = self
    copy.skipWhitespace()
    return copy.position
  }

  /// Moves to the next value and says what type it has; the value itself is not read.
  package mutating func peekType() throws(JSONError) -> JSONType {
    skipWhitespace()
    switch peek() {
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    default: throw unexpected("a value")
    }
  }

  /// Moves to the next value and demands its type.
  mutating func expect(_ type: JSONType, wanted: String? = nil) throws(JSONError) {
    let found = try peekType()
    guard found == type else {
      throw JSONError(
        .wrongType, at: position, "is not \(type.article)",
        advice: "write \(wanted ?? type.article)")
    }
  }

  // MARK: Literals

  package mutating func readBool() throws(JSONError) -> Bool {
    try expect(.boolean, wanted: "true or false")
    if peek() == UInt8(ascii: "t") {
      try literal("true")
      return true
    }
    try literal("false")
    return false
  }

  /// Reads a `null` if one is next; otherwise nothing.
  package mutating func readNull() throws(JSONError) -> Bool {
    guard try peekType() == .null else { return false }
    try literal("null")
    return true
  }

  mutating func literal(_ text: StaticString) throws(JSONError) {
    let start = position
    for index in 0..<text.utf8CodeUnitCount {
      guard peek() == text.utf8Start[index], position < bytes.count else {
        throw JSONError(
          .invalidJSON, at: start, "is not a JSON value",
          advice: "write true, false, null, a number, or text in double quotes")
      }
      position += 1
    }
  }

  // MARK: Errors

  /// The grammar wanted something else here.
  func unexpected(_ wanted: String) -> JSONError {
    guard position < bytes.count else {
      return JSONError(
        .invalidJSON, at: bytes.count, showsValue: false,
        "the JSON ends too early: \(wanted) is expected", advice: "it may have been cut short")
    }
    return JSONError(.invalidJSON, at: position, "is unexpected: \(wanted) should be here")
  }
}

/// The types of JSON values.
package enum JSONType: String, Hashable, Sendable {
  case null
  case boolean
  case number
  case string
  case array
  case object

  var article: String {
    switch self {
    case .null: "null"
    case .boolean: "true or false"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
