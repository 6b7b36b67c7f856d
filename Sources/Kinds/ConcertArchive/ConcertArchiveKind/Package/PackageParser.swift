import CatalogModel

/// What the readers of a package's files share: values that are held to a rule.
///
/// Keys that nobody here knows are passed over: packages carry more than these tables hold (tracks, pictures). What is
/// read has to be right.
struct PackageParser {
  var json: JSONReader

  /// What to do about an id whose file the package lacks: most likely, the rest of it is on the way.
  static let halfUnpacked =
    "unpack the whole package again; if the package itself lacks the file, take the id out of this list"

  /// Reads a whole file.
  ///
  /// - Parameter file: what errors call it.
  static func read<Value>(
    _ bytes: [UInt8], file: String,
    _ body: (inout PackageParser) throws(JSONError) -> Value
  ) throws(DocumentError) -> Value {
    let result = bytes.withUnsafeBytes { bytes -> Result<Value, DocumentError> in
      do throws(JSONError) {
        let reader = JSONReader(bytes)
        try reader.validate()
        var parser = PackageParser(json: reader)
        return .success(try body(&parser))
      } catch {
        return .failure(DocumentError(error, in: bytes, file: file))
      }
    }
    return try result.get()
  }

  mutating func text(
    _ rule: (String) throws(TextProblem) -> String
  ) throws(JSONError) -> String {
    let start = json.nextOffset
    let text = try json.readString()
    do throws(TextProblem) {
      return try rule(text)
    } catch {
      throw JSONError(.invalidValue, at: start, error.message, advice: error.advice)
    }
  }

  mutating func optionalText(
    _ rule: (String) throws(TextProblem) -> String
  ) throws(JSONError) -> String? {
    try json.readNull() ? nil : try text(rule)
  }

  /// Reads a number from 0 on; nil for `null`.
  mutating func optionalNumber() throws(JSONError) -> Double? {
    if try json.readNull() { return nil }
    let start = json.nextOffset
    let number = try json.readDouble()
    guard number >= 0 else {
      throw JSONError(
        .invalidValue, at: start, "is too small", advice: "write a number from 0 on")
    }
    // There is one zero in the log.
    return number + 0
  }

  /// Reads a whole number from 0 on; nil for `null`.
  mutating func optionalCount() throws(JSONError) -> Int64? {
    if try json.readNull() { return nil }
    let start = json.nextOffset
    let advice = "write a whole number from 0 to \(NumberRules.greatest)"
    let count = try json.readInt64(advice: advice)
    guard 0...NumberRules.greatest ~= count else {
      throw JSONError(
        .invalidValue, at: start, count < 0 ? "is too small" : "is too large", advice: advice)
    }
    return count
  }

  /// Reads an array; `null` is an empty one.
  mutating func array<Element>(
    _ element: (inout PackageParser) throws(JSONError) -> Element
  ) throws(JSONError) -> [Element] {
    if try json.readNull() { return [] }
    var elements: [Element] = []
    var array = try json.openArray()
    while try json.hasNext(in: &array) { elements.append(try element(&self)) }
    return elements
  }

  /// Reads an identifier of a recording. It names files of the package and of the cache.
  mutating func identifier() throws(JSONError) -> String {
    let start = json.nextOffset
    let text = try json.readString()
    guard RecordingIdentifier.isFileName(text) else {
      throw JSONError(
        .invalidValue, at: start, "is not an identifier of a recording",
        advice: RecordingIdentifier.advice)
    }
    return text
  }

  /// Reads the id of a show.
  mutating func showID() throws(JSONError) -> String {
    let start = json.nextOffset
    let text = try self.text(TextRules.name)
    guard PackageName.isPlain(text) else {
      throw JSONError(
        .invalidValue, at: start, "is not an id of a show", advice: PackageName.advice)
    }
    return text
  }

  func missing(_ key: String, at offset: Int) -> JSONError {
    JSONError(
      .missingKey, at: offset, showsValue: false, "the key \"\(key)\" is missing",
      advice: "add it")
  }
}

/// Identifiers of recordings, which become names of files.
public enum RecordingIdentifier {
  static let advice =
    "write 1 to 200 of: letters A to Z and a to z, digits, - _ . and begin with a letter or digit"

  /// Whether a text is an identifier: `[A-Za-z0-9][A-Za-z0-9._-]*`, and short enough for a file's name.
  public static func isFileName(_ text: String) -> Bool {
    guard 1...200 ~= text.utf8.count, let first = text.utf8.first, isAlphanumeric(first) else {
      return false
    }
    return text.utf8.allSatisfy { isAlphanumeric($0) || "._-".utf8.contains($0) }
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}

/// Ids of shows, each of which names a file of its package. Letters of any script may stand in them.
enum PackageName {
  static let advice = "write letters, digits, - _ . and begin with a letter or digit"

  static func isPlain(_ text: String) -> Bool {
    guard text.utf8.count <= 240, let first = text.unicodeScalars.first, isWordScalar(first),
      first != "_"
    else { return false }
    return text.unicodeScalars.allSatisfy { isWordScalar($0) || $0 == "-" || $0 == "." }
  }

  private static func isWordScalar(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
  }
}
