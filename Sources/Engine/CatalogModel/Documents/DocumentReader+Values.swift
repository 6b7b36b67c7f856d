extension DocumentReader {
  /// Whether the next value is `null`.
  var isNull: Bool { nextByte == UInt8(ascii: "n") }

  /// Whether the next value is an object.
  public var nextIsObject: Bool { nextByte == UInt8(ascii: "{") }

  /// Whether the next value is an array.
  public var nextIsArray: Bool { nextByte == UInt8(ascii: "[") }

  private var nextByte: UInt8? {
    let offset = json.nextOffset
    return offset < json.bytes.count ? json.bytes[offset] : nil
  }

  /// Reads a `null` if one is next; otherwise nothing.
  public mutating func null() -> Bool {
    guard isNull else { return false }
    skip()
    return true
  }

  // MARK: Texts

  /// Reads a text and applies a rule to it, such as `TextRules.name`.
  public mutating func text(_ rule: (String) throws(TextProblem) -> String) -> String? {
    parsed { (text) throws(TextProblem) in try rule(text) }
  }

  /// Reads a text as `text` does; `null` is nil and not a fault.
  public mutating func optionalText(_ rule: (String) throws(TextProblem) -> String) -> String? {
    null() ? nil : text(rule)
  }

  /// Reads a text and makes a value of it.
  public mutating func parsed<Value>(_ rule: (String) throws(TextProblem) -> Value) -> Value? {
    let start = json.nextOffset
    guard let text = string() else { return nil }
    do throws(TextProblem) {
      return try rule(text)
    } catch {
      note(.invalidValue, at: start, error.message, advice: error.advice)
      return nil
    }
  }

  /// Reads a text as it is, which may be too long for a catalog.
  public mutating func string() -> String? {
    attempt { (json) throws(JSONError) in try json.readString() }
  }

  /// Reads one of a few words.
  ///
  /// - Parameter problem: continues a word that is not one of them: "is not a kind of pack".
  public mutating func word(among known: [String], _ problem: String) -> String? {
    let start = json.nextOffset
    guard let word = string() else { return nil }
    if known.contains(where: { $0.utf8.elementsEqual(word.utf8) }) { return word }
    note(.invalidValue, at: start, problem, advice: Self.advice(for: word, among: known))
    return nil
  }

  private static func advice(for word: String, among known: [String]) -> String {
    if let near = NearMiss.find(word, among: known) { return "did you mean \"\(near)\"?" }
    let quoted = known.map { "\"\($0)\"" }
    return "write " + quoted.joined(separator: quoted.count == 2 ? " or " : ", ")
  }

  /// Reads a UUID.
  public mutating func id() -> EntityID? {
    let start = json.nextOffset
    guard let text = attempt({ (json) throws(JSONError) in try json.readText() }) else {
      return nil
    }
    let id =
      text.hasEscapes
      ? EntityID(utf8: json.decodedBytes(text)) : EntityID(utf8: json.raw(text))
    if id == nil {
      note(
        .invalidValue, at: start, "is not a UUID",
        advice: "write it as xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx, in hexadecimal digits")
    }
    return id
  }

  /// Reads a UUID that may appear once in `seen`.
  ///
  /// - Parameter what: whose id it is: "track".
  public mutating func id(unique seen: inout Set<EntityID>, of what: String) -> EntityID? {
    let start = json.nextOffset
    guard let id = id() else { return nil }
    if !seen.insert(id).inserted {
      note(
        .duplicateValue, at: start, "is the id of another \(what) of this document",
        advice: "give each \(what) its own UUID")
    }
    return id
  }

  // MARK: Numbers

  /// Reads a whole number from `bound` to `NumberRules.greatest`.
  public mutating func integer(atLeast bound: Int64) -> Int64? {
    let start = json.nextOffset
    let advice = "write a whole number from \(bound) to \(NumberRules.greatest)"
    let value = attempt { (json) throws(JSONError) in try json.readInt64(advice: advice) }
    guard let value else { return nil }
    if value < bound || value > NumberRules.greatest {
      note(
        .invalidValue, at: start, value < bound ? "is too small" : "is too large", advice: advice)
    }
    return value
  }

  /// Reads a whole number as `integer` does; `null` is nil and not a fault.
  public mutating func optionalInteger(atLeast bound: Int64) -> Int64? {
    null() ? nil : integer(atLeast: bound)
  }

  /// Reads a number from 0 on.
  public mutating func number() -> Double? {
    let start = json.nextOffset
    guard let value = double() else { return nil }
    if value < 0 {
      note(.invalidValue, at: start, "is too small", advice: "write a number from 0 on")
    }
    // There is one zero in the log.
    return value + 0
  }

  /// Reads a number as `number` does; `null` is nil and not a fault.
  public mutating func optionalNumber() -> Double? { null() ? nil : number() }

  /// Reads a number.
  package mutating func double() -> Double? {
    attempt { (json) throws(JSONError) in try json.readDouble() }
  }

  /// Reads `true` or `false`.
  public mutating func flag() -> Bool? {
    attempt { (json) throws(JSONError) in try json.readBool() }
  }

  /// Reads `true`, `false` or `null`, which is nil and not a fault.
  public mutating func optionalFlag() -> Bool? { null() ? nil : flag() }
}
