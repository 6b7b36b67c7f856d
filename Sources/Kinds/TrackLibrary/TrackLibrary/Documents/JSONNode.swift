import CatalogEngine

/// A value of a JSON document, with its place in it.
struct JSONNode {
  let value: JSONValue
  /// `$.items[3].track`
  let path: String
  /// What errors call the document.
  let file: String

  /// `library.json: $.tracks[3]`
  var place: String { "\(file): \(path)" }

  // MARK: Members

  /// The member of this key; nil if there is none, or null.
  subscript(key: String) -> JSONNode? {
    guard let value = value[key], value != .null else { return nil }
    return JSONNode(value: value, path: "\(path).\(key)", file: file)
  }

  func require(_ key: String) throws(DocumentError) -> JSONNode {
    guard case .object = value else { throw wrongType("an object") }
    guard let node = self[key] else {
      throw DocumentError(
        code: .missingKey, file: file, path: path, message: "the key \"\(key)\" is missing",
        advice: "add it")
    }
    return node
  }

  var keys: [String] {
    guard case .object(let members) = value else { return [] }
    return members.map(\.key)
  }

  func elements() throws(DocumentError) -> [JSONNode] {
    guard case .array(let elements) = value else { throw wrongType("an array") }
    return elements.enumerated().map {
      JSONNode(value: $1, path: "\(path)[\($0)]", file: file)
    }
  }

  var isArray: Bool {
    guard case .array = value else { return false }
    return true
  }

  var isObject: Bool {
    guard case .object = value else { return false }
    return true
  }

  // MARK: Values

  func text() throws(DocumentError) -> String {
    guard case .string(let text) = value else { throw wrongType("a string") }
    return try Text.verbatim(text, file: file, place: path)
  }

  private func number() throws(DocumentError) -> Double {
    guard case .number(let text) = value, let number = Double(text), number.isFinite else {
      throw wrongType("a number")
    }
    guard number >= 0 else {
      throw invalid("is too small", advice: "write a number from 0 on")
    }
    guard number <= Double(NumberRules.greatest) else {
      throw invalid("is too large", advice: "write a number up to \(NumberRules.greatest)")
    }
    // There is one zero in the log.
    return number + 0
  }

  /// A length, written in milliseconds.
  ///
  /// - Returns: in seconds.
  func milliseconds() throws(DocumentError) -> Double { try number() / 1_000 }

  func count() throws(DocumentError) -> Int64 {
    let number = try number()
    guard let count = Int64(exactly: number) else {
      throw invalid("is not a whole number", advice: "write 0 or more, without a fraction")
    }
    return count
  }

  /// A time as other programs write it: also `2026-01-31 12:00:00` and `+0000`.
  func foreignTime() throws(DocumentError) -> Timestamp {
    guard let time = Timestamp(foreign: try text()) else {
      throw invalid("is not a time", advice: "write it as 2026-01-31T12:00:00Z")
    }
    return time
  }

  // MARK: Errors

  func wrongType(_ wanted: String) -> DocumentError {
    failure(.wrongType, "is not \(wanted)", nil)
  }

  func invalid(_ message: String, advice: String?) -> DocumentError {
    failure(.invalidValue, message, advice)
  }

  private func failure(
    _ code: DocumentError.Code, _ message: String, _ advice: String?
  ) -> DocumentError {
    DocumentError(
      code: code, file: file, path: path, value: JSONExcerpt.printable(value.description),
      message: message, advice: advice)
  }
}

extension JSONNode {
  /// Reads a whole document.
  ///
  /// - Parameter isForeign: whether another program wrote it: then what is odd in one value alone is that value's fault.
  init(_ bytes: [UInt8], file: String, isForeign: Bool = false) throws(DocumentError) {
    self.init(
      value: try JSONValue.parse(bytes, file: file, isForeign: isForeign), path: "$", file: file)
  }
}

extension Timestamp {
  /// A time as other programs write it: also `2026-01-31 12:00:00` and `+0000`.
  init?(foreign text: String) {
    var spelled = text.replacing(" ", with: "T", maxReplacements: 1)
    let zone = spelled.suffix(5)
    if spelled.utf8.count > 15, "+-".contains(zone.first ?? " "), Int(zone.dropFirst()) != nil {
      spelled.insert(":", at: spelled.index(spelled.endIndex, offsetBy: -2))
    }
    self.init(spelled)
  }
}
