/// Takes the members of an object apart, one key after the other, and rejects the keys that are left over.
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

    /// Puts the path of an object or array before that of the problem.
    @usableFromInline
    package func below(_ outer: String) -> Problem {
      Problem(path: outer + path, message: message)
    }
  }

  package let path: String
  private var members: [JSONValue.Member]
  /// The members before this place were taken. Lines that this program wrote have their keys in the order in which they are
  /// asked for: then no member is searched for, and the array of them is not copied.
  private var place = 0

  package init(_ value: JSONValue, path: String) throws(Problem) {
    guard case .object(let members) = value else {
      throw JSONValue.wrongType(value, "an object").below(path)
    }
    self.path = path
    self.members = members
  }

  /// Takes a member out.
  package mutating func take(_ key: String) throws(Problem) -> JSONValue {
    guard let value = takeIfPresent(key) else { throw missing(key).below(path) }
    return value
  }

  package mutating func takeIfPresent(_ key: String) -> JSONValue? {
    if place < members.count, Self.isSame(members[place].key, key) {
      place += 1
      return members[place - 1].value
    }
    guard let found = members[place...].firstIndex(where: { Self.isSame($0.key, key) }) else {
      return nil
    }
    return members.remove(at: found).value
  }

  /// Whether a key is one that this program asks for, byte by byte. Those are ASCII, and other spellings of an ASCII text
  /// (U+212A is a "K" by Unicode's rules) are longer.
  private static func isSame(_ key: String, _ other: String) -> Bool {
    key.utf8.count == other.utf8.count && key == other
  }

  private func missing(_ key: String) -> Problem {
    Problem(path: "", message: "the key \"\(key)\" is missing")
  }

  /// Demands that every member was taken.
  package func finish() throws(Problem) {
    guard place < members.count else { return }
    throw Problem(
      path: path,
      message: "the key \"\(JSONExcerpt.printable(members[place].key))\" is unknown")
  }

  // MARK: Typed members

  /// The value of a key: of the type that is wanted.
  public mutating func value<Value: PayloadValue>(_ key: String) throws(Problem) -> Value {
    do throws(Problem) {
      return try member(key, nil)
    } catch {
      throw error.below(path)
    }
  }

  /// Reads the value of a key. The path of a problem begins at this object.
  @usableFromInline
  mutating func member<Value: PayloadValue>(
    _ key: String, _ form: PayloadForm?
  ) throws(Problem) -> Value {
    guard let value = takeIfPresent(key) else { throw missing(key) }
    do throws(Problem) {
      try form?.check(value)
      return try Value.read(value)
    } catch {
      throw error.below(".\(key)")
    }
  }

  public mutating func string(_ key: String) throws(Problem) -> String { try value(key) }

  public mutating func optionalString(_ key: String) throws(Problem) -> String? { try value(key) }

  public mutating func bool(_ key: String) throws(Problem) -> Bool { try value(key) }

  public mutating func optionalBool(_ key: String) throws(Problem) -> Bool? { try value(key) }

  /// An array of texts.
  public mutating func strings(_ key: String) throws(Problem) -> [String] { try value(key) }

  public mutating func int64(_ key: String) throws(Problem) -> Int64 { try value(key) }

  public mutating func optionalInt64(_ key: String) throws(Problem) -> Int64? { try value(key) }

  public mutating func optionalDouble(_ key: String) throws(Problem) -> Double? { try value(key) }

  public mutating func double(_ key: String) throws(Problem) -> Double { try value(key) }

  public mutating func id(_ key: String) throws(Problem) -> EntityID { try value(key) }

  public mutating func ids(_ key: String) throws(Problem) -> [EntityID] { try value(key) }

  package mutating func uint64(_ key: String) throws(Problem) -> UInt64 { try value(key) }

  /// An array of objects, each read by `body`, which must take all of its members; nil for `null`.
  public mutating func objects<Element>(
    _ key: String, _ body: (inout PayloadReader) throws(Problem) -> Element
  ) throws(Problem) -> [Element]? {
    if takeNull(key) { return nil }
    var read: [Element] = []
    for (element, path) in try elements(key) {
      var object = try PayloadReader(element, path: path)
      read.append(try body(&object))
      try object.finish()
    }
    return read
  }

  /// Takes all members that are left, in their order.
  package mutating func takeRest() -> [JSONValue.Member] {
    defer { place = members.count }
    return Array(members[place...])
  }

  private mutating func takeNull(_ key: String) -> Bool {
    let isNull = members[place...].contains { $0.value == .null && Self.isSame($0.key, key) }
    if isNull { _ = takeIfPresent(key) }
    return isNull
  }

  /// The elements of an array, each with its path.
  package mutating func elements(_ key: String) throws(Problem) -> [(
    value: JSONValue, path: String
  )] {
    let value = try take(key)
    guard case .array(let elements) = value else {
      throw JSONValue.wrongType(value, "an array").below("\(path).\(key)")
    }
    return elements.enumerated().map { ($1, "\(path).\(key)[\($0)]") }
  }

  /// An array of texts; nil if there is no such key.
  public mutating func stringsIfPresent(_ key: String) throws(Problem) -> [String]? {
    guard let value = takeIfPresent(key) else { return nil }
    do throws(Problem) {
      return try [String].read(value)
    } catch {
      throw error.below("\(path).\(key)")
    }
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
}

extension JSONNumber {
  package static func integer(_ value: JSONValue) -> Integer {
    guard case .number(var text) = value else { return .fraction }
    return text.withUTF8 { integer($0) }
  }
}
