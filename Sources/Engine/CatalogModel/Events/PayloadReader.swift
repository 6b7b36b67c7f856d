/// Takes the members of an object apart, one key after the other, and minds what is left over.
///
/// The slow twin of `CanonicalLineReader`: any key order, any spelling of a value.
public struct PayloadReader {
  /// What is wrong with a payload, and where.
  public struct Problem: Error {
    /// JSON path within the line: `$.data.title`.
    public let path: String
    public let message: String

    public init(path: String, message: String) {
      self.path = path
      self.message = message
    }
  }

  package let path: String
  private var members: [JSONValue.Member]

  package init(_ value: JSONValue, path: String) throws(Problem) {
    guard case .object(let members) = value else {
      throw Self.wrongType(value, wanted: "an object", path: path)
    }
    self.path = path
    self.members = members
  }

  /// Takes a member out.
  package mutating func take(_ key: String) throws(Problem) -> JSONValue {
    guard let value = takeIfPresent(key) else {
      throw Problem(path: path, message: "the key \"\(key)\" is missing")
    }
    return value
  }

  package mutating func takeIfPresent(_ key: String) -> JSONValue? {
    guard let index = members.firstIndex(where: { $0.key.utf8.elementsEqual(key.utf8) }) else {
      return nil
    }
    return members.remove(at: index).value
  }

  /// Demands that every member was taken.
  package func finish() throws(Problem) {
    guard let extra = members.first else { return }
    throw Problem(
      path: path, message: "the key \"\(JSONExcerpt.printable(extra.key))\" is unknown")
  }

  // MARK: Typed members

  public mutating func string(_ key: String) throws(Problem) -> String {
    try Self.string(try take(key), path: "\(path).\(key)")
  }

  public mutating func optionalString(_ key: String) throws(Problem) -> String? {
    let value = try take(key)
    return value == .null ? nil : try Self.string(value, path: "\(path).\(key)")
  }

  public mutating func bool(_ key: String) throws(Problem) -> Bool {
    let value = try take(key)
    guard case .bool(let bool) = value else {
      throw Self.wrongType(value, wanted: "true or false", path: "\(path).\(key)")
    }
    return bool
  }

  public mutating func optionalBool(_ key: String) throws(Problem) -> Bool? {
    let value = try take(key)
    if value == .null { return nil }
    guard case .bool(let bool) = value else {
      throw Self.wrongType(value, wanted: "true or false", path: "\(path).\(key)")
    }
    return bool
  }

  /// An array of texts.
  public mutating func strings(_ key: String) throws(Problem) -> [String] {
    var strings: [String] = []
    for (element, path) in try elements(key) {
      strings.append(try Self.string(element, path: path))
    }
    return strings
  }

  /// An array of objects, each read by `body`, which must take all of its members; nil for `null`.
  public mutating func objects<Element>(
    _ key: String, _ body: (inout PayloadReader) throws(Problem) -> Element
  ) throws(Problem) -> [Element]? {
    if members.contains(where: { $0.key.utf8.elementsEqual(key.utf8) && $0.value == .null }) {
      _ = try take(key)
      return nil
    }
    var read: [Element] = []
    for (element, path) in try elements(key) {
      var object = try PayloadReader(element, path: path)
      read.append(try body(&object))
      try object.finish()
    }
    return read
  }

  public mutating func int64(_ key: String) throws(Problem) -> Int64 {
    try Self.int64(try take(key), path: "\(path).\(key)")
  }

  public mutating func optionalInt64(_ key: String) throws(Problem) -> Int64? {
    let value = try take(key)
    return value == .null ? nil : try Self.int64(value, path: "\(path).\(key)")
  }

  package mutating func uint64(_ key: String) throws(Problem) -> UInt64 {
    let value = try take(key)
    guard case .value(let negative, let magnitude) = Self.integer(value), !negative else {
      throw Self.wrongType(value, wanted: "a whole number from 0", path: "\(path).\(key)")
    }
    return magnitude
  }

  package mutating func optionalUInt64(_ key: String) throws(Problem) -> UInt64? {
    let value = try take(key)
    if value == .null { return nil }
    guard case .value(let negative, let magnitude) = Self.integer(value), !negative else {
      throw Self.wrongType(value, wanted: "a whole number from 0", path: "\(path).\(key)")
    }
    return magnitude
  }

  public mutating func optionalDouble(_ key: String) throws(Problem) -> Double? {
    let value = try take(key)
    if value == .null { return nil }
    guard case .number(var text) = value, let double = text.withUTF8({ JSONNumber.double($0) })
    else { throw Self.wrongType(value, wanted: "a number", path: "\(path).\(key)") }
    return double
  }

  public mutating func double(_ key: String) throws(Problem) -> Double {
    guard let double = try optionalDouble(key) else {
      throw Problem(path: "\(path).\(key)", message: "null is not a number")
    }
    return double
  }

  public mutating func id(_ key: String) throws(Problem) -> EntityID {
    try Self.id(try take(key), path: "\(path).\(key)")
  }

  public mutating func ids(_ key: String) throws(Problem) -> [EntityID] {
    var ids: [EntityID] = []
    for (element, path) in try elements(key) { ids.append(try Self.id(element, path: path)) }
    return ids
  }

  /// The elements of an array, each with its path.
  package mutating func elements(_ key: String) throws(Problem) -> [(
    value: JSONValue, path: String
  )] {
    let value = try take(key)
    guard case .array(let elements) = value else {
      throw Self.wrongType(value, wanted: "an array", path: "\(path).\(key)")
    }
    return elements.enumerated().map { ($1, "\(path).\(key)[\($0)]") }
  }

  /// An array of texts; nil if there is no such key.
  public mutating func stringsIfPresent(_ key: String) throws(Problem) -> [String]? {
    guard let value = takeIfPresent(key) else { return nil }
    guard case .array(let elements) = value else {
      throw Self.wrongType(value, wanted: "an array", path: "\(path).\(key)")
    }
    var names: [String] = []
    for (index, element) in elements.enumerated() {
      names.append(try Self.string(element, path: "\(path).\(key)[\(index)]"))
    }
    return names
  }

  /// A string that must be one of a type's raw values.
  public mutating func choice<Choice: RawRepresentable<String>>(
    _ key: String, of type: Choice.Type
  ) throws(Problem) -> Choice {
    let text = try string(key)
    guard let choice = Choice(rawValue: text) else {
      throw Problem(
        path: "\(path).\(key)", message: "\"\(JSONExcerpt.printable(text))\" is not known")
    }
    return choice
  }

  // MARK: Values

  private static func string(_ value: JSONValue, path: String) throws(Problem) -> String {
    guard case .string(let text) = value else {
      throw wrongType(value, wanted: "a string", path: path)
    }
    return text
  }

  private static func int64(_ value: JSONValue, path: String) throws(Problem) -> Int64 {
    guard case .value(let negative, let magnitude) = integer(value),
      let integer = JSONNumber.int64(negative: negative, magnitude: magnitude)
    else { throw wrongType(value, wanted: "a whole number of 64 bits", path: path) }
    return integer
  }

  private static func integer(_ value: JSONValue) -> JSONNumber.Integer {
    guard case .number(var text) = value else { return .fraction }
    return text.withUTF8 { JSONNumber.integer($0) }
  }

  private static func id(_ value: JSONValue, path: String) throws(Problem) -> EntityID {
    guard case .string(let text) = value, let id = EntityID(text) else {
      throw wrongType(value, wanted: "a UUID", path: path)
    }
    return id
  }

  private static func wrongType(_ value: JSONValue, wanted: String, path: String) -> Problem {
    Problem(
      path: path, message: "\(JSONExcerpt.printable(value.description)) is not \(wanted)")
  }
}
