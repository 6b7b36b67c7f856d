/// A JSON object, described once as a Swift type: how a value of the type is written and read, its limits and its schema.
///
/// ```swift
/// struct BookFacts: PayloadObject {
///   var id: EntityID
///   var title: String
///   var reader: String?
///
///   static let payload = Payload(
///     Member("id", \Self.id), Member("title", \.title), Member("reader", \.reader), make: Self.init)
/// }
/// ```
///
/// The members are in the order in which they are written and in which `make` takes them.
public struct Payload<Value>: Sendable {
  @usableFromInline let members: [AnyMember<Value>]
  /// The keys, in the order in which they are written.
  public let keys: [String]
  // Arrays of their own: to copy a whole member for each value took longer than to write it.
  @usableFromInline let writers: [@Sendable (Value, inout PayloadWriter) -> Void]
  @usableFromInline let limits: [AnyMember<Value>.Limit]
  @usableFromInline let make: @Sendable (inout PayloadReader) throws(PayloadReader.Problem) -> Value
  @usableFromInline let makeOfCanonical:
    @Sendable (inout CanonicalLineReader) throws(PayloadReader.Problem) -> Value

  /// - Parameter make: makes a value of its members, in their order: `BookFacts.init`. It throws if they do not fit each
  ///   other; the path of the problem begins at the object.
  @inlinable
  public init<each Part: PayloadValue>(
    _ members: repeat Member<Value, each Part>,
    make: @escaping @Sendable (repeat each Part) throws(PayloadReader.Problem) -> Value
  ) {
    var all: [AnyMember<Value>] = []
    for member in repeat each members { all.append(member.erased) }
    self.init(all, make: make)
  }

  @inlinable
  init<each Part: PayloadValue>(
    _ members: [AnyMember<Value>],
    make: @escaping @Sendable (repeat each Part) throws(PayloadReader.Problem) -> Value
  ) {
    // Closures, not key paths: Swift 6.3 cannot make a key path in a function that is generic over a pack.
    let keys = members.map { $0.key }
    let forms = members.map { $0.form }
    let spellings = Self.spellings(of: keys)
    self.init(members) { (data) throws(PayloadReader.Problem) in
      var place = 0
      func next<Next: PayloadValue>(_: Next.Type) throws(PayloadReader.Problem) -> Next {
        defer { place += 1 }
        return try data.member(keys[place], forms[place])
      }
      return try make(repeat try next((each Part).self))
    } canonical: { (line) throws(PayloadReader.Problem) in
      var place = 0
      func next<Next: PayloadValue>(_: Next.Type) throws(PayloadReader.Problem) -> Next {
        defer { place += 1 }
        guard forms[place] == nil, line.skip(spellings[place]),
          let value = Next.read(canonical: &line)
        else { throw PayloadReader.Problem(path: "", message: "") }
        return value
      }
      return try make(repeat try next((each Part).self))
    }
  }

  @inlinable
  init(
    _ members: [AnyMember<Value>],
    make: @escaping @Sendable (inout PayloadReader) throws(PayloadReader.Problem) -> Value,
    canonical:
      @escaping @Sendable (inout CanonicalLineReader) throws(PayloadReader.Problem) -> Value
  ) {
    self.members = members
    keys = members.map { $0.key }
    writers = members.map { $0.write }
    limits = members.compactMap { $0.excess }
    self.make = make
    makeOfCanonical = canonical
  }

  /// An object whose value is made by setting one property after the other: no initialiser has to list them all.
  ///
  /// ```swift
  /// static let payload = Payload(
  ///   Member("id", setting: \Self.id), Member("title", setting: \.title),
  ///   empty: { BookFacts(id: .zero, title: "") })
  /// ```
  ///
  /// - Parameters:
  ///   - members: each names a property by `setting`.
  ///   - empty: makes a value of which every described property is set afterwards.
  @inlinable
  public init<each Part: PayloadValue>(
    _ members: repeat Member<Value, each Part>, empty: @escaping @Sendable () -> Value
  ) {
    var all: [AnyMember<Value>] = []
    var setters: [MemberSetter<Value>] = []
    for member in repeat each members {
      all.append(member.erased)
      guard let setter = member.setter else {
        preconditionFailure("\(member.erased.key) names no property that can be set")
      }
      setters.append(setter)
    }
    let keys = all.map { $0.key }
    let forms = all.map { $0.form }
    let spellings = Self.spellings(of: keys)
    self.init(all) { [setters] (data) throws(PayloadReader.Problem) in
      var value = empty()
      for place in setters.indices {
        try setters[place].read(&value, &data, keys[place], forms[place])
      }
      return value
    } canonical: { [setters] (line) throws(PayloadReader.Problem) in
      var value = empty()
      for place in setters.indices {
        guard forms[place] == nil, line.skip(spellings[place]),
          setters[place].readCanonical(&value, &line)
        else { throw PayloadReader.Problem(path: "", message: "") }
      }
      return value
    }
  }

  /// The bytes before each value in canonical form: `"id":`, and `,"title":` after it.
  @usableFromInline
  static func spellings(of keys: [String]) -> [[UInt8]] {
    keys.enumerated().map { Array(($0 == 0 ? "\"\($1)\":" : ",\"\($1)\":").utf8) }
  }

  /// The JSON Schema of the object.
  public var schema: JSONValue {
    .members([
      "type": .string("object"), "additionalProperties": .bool(false),
      "required": .array(keys.map { .string($0) }),
      "properties": .object(members.map { JSONValue.Member(key: $0.key, value: $0.schema) }),
    ])
  }

  /// Reads the members of an object, which has no others.
  public func read(_ data: inout PayloadReader) throws(PayloadReader.Problem) -> Value {
    do throws(PayloadReader.Problem) {
      return try make(&data)
    } catch {
      throw error.below(data.path)
    }
  }

  /// Reads the members of an object in canonical form; nil if it has another form, which `read` judges.
  public func read(canonical line: inout CanonicalLineReader) -> Value? {
    // Not dropped: the other reader meets the same problem and names it.
    try? makeOfCanonical(&line)
  }

  /// Writes the members of an object.
  @inlinable
  public func write(_ value: Value, to data: inout PayloadWriter) {
    for write in writers { write(value, &data) }
  }

  @usableFromInline var isLimited: Bool { !limits.isEmpty }

  /// A part of the value that goes beyond its limit; nil if there is none.
  ///
  /// - Parameter isNew: whether the event is about to be written: some limits are narrower then.
  public func excess(of value: Value, isNew: Bool) -> PayloadReader.Problem? {
    for limit in limits {
      if let excess = limit(value, isNew) { return excess }
    }
    return nil
  }
}

/// A key of a payload, and the value of it.
public struct Member<Value, Part: PayloadValue>: Sendable {
  public let erased: AnyMember<Value>
  @usableFromInline let setter: MemberSetter<Value>?

  /// - Parameters:
  ///   - part: takes the value of the key out of the whole: a property.
  ///   - form: the form that the text has, if its type does not say it.
  ///   - limit: how much the value may hold. An event that goes beyond is never appended, and changes nothing if a log
  ///     holds it.
  @inlinable
  public init(
    _ key: StaticString, _ part: @escaping @Sendable (Value) -> Part,
    form: PayloadForm? = nil, limit: PayloadLimit<Part>? = nil
  ) {
    self.init(key, part, nil, form, limit)
  }

  /// A member of a value that is made by setting its properties (`Payload.init(_:empty:)`).
  ///
  /// - Parameter property: holds the value of the key.
  @inlinable
  public init(
    _ key: StaticString, setting property: any WritableKeyPath<Value, Part> & Sendable,
    form: PayloadForm? = nil, limit: PayloadLimit<Part>? = nil
  ) {
    self.init(key, { $0[keyPath: property] }, MemberSetter(property), form, limit)
  }

  @inlinable
  init(
    _ key: StaticString, _ part: @escaping @Sendable (Value) -> Part,
    _ setter: MemberSetter<Value>?, _ form: PayloadForm?, _ limit: PayloadLimit<Part>?
  ) {
    self.setter = setter
    var excess: AnyMember<Value>.Limit?
    if limit != nil || Part.isLimited {
      excess = { value, isNew in
        let part = part(value)
        if let problem = limit?.excess(of: part, key, isNew: isNew) { return problem }
        return part.excess(isNew: isNew)?.below(".\(key)")
      }
    }
    erased = AnyMember(
      key: key, schema: Part.schema, form: form, limit: limit?.description,
      write: { value, data in data.value(key, part(value)) }, excess: excess)
  }

  /// A member that may be null, with a limit for a value that is not.
  @inlinable
  public init<Wrapped>(
    _ key: StaticString, _ part: @escaping @Sendable (Value) -> Wrapped?,
    limit: PayloadLimit<Wrapped>
  ) where Part == Wrapped? {
    self.init(key, part, limit: limit.optional)
  }
}

/// Sets the property of a member to what is read.
@usableFromInline struct MemberSetter<Value>: Sendable {
  @usableFromInline let read:
    @Sendable (inout Value, inout PayloadReader, String, PayloadForm?) throws(PayloadReader.Problem)
      -> Void
  /// Whether the line has the value there.
  @usableFromInline let readCanonical: @Sendable (inout Value, inout CanonicalLineReader) -> Bool

  @inlinable
  init<Part: PayloadValue>(_ property: any WritableKeyPath<Value, Part> & Sendable) {
    read = { (value, data, key, form) throws(PayloadReader.Problem) in
      value[keyPath: property] = try data.member(key, form)
    }
    readCanonical = { value, line in
      guard let part = Part.read(canonical: &line) else { return false }
      value[keyPath: property] = part
      return true
    }
  }
}

/// A member without the type of its value.
public struct AnyMember<Value>: Sendable {
  @usableFromInline
  typealias Limit = @Sendable (Value, _ isNew: Bool) -> PayloadReader.Problem?

  @usableFromInline let key: String
  let schema: JSONValue
  @usableFromInline let form: PayloadForm?
  @usableFromInline let write: @Sendable (Value, inout PayloadWriter) -> Void
  @usableFromInline let excess: Limit?

  @usableFromInline
  init(
    key: StaticString, schema: JSONValue, form: PayloadForm?, limit: String?,
    write: @escaping @Sendable (Value, inout PayloadWriter) -> Void,
    excess: Limit?
  ) {
    self.key = key.description
    self.form = form
    self.write = write
    self.excess = excess
    var schema = form?.schema ?? schema
    if let limit, case .object(let members) = schema {
      schema = .object([JSONValue.Member(key: "description", value: .string(limit))] + members)
    }
    self.schema = schema
  }
}

/// A type whose values are stored as objects, which other payloads may contain.
public protocol PayloadObject: PayloadValue {
  static var payload: Payload<Self> { get }
}

extension PayloadObject {
  public static var schema: JSONValue { payload.schema }

  public static func read(_ value: JSONValue) throws(PayloadReader.Problem) -> Self {
    var data = try PayloadReader(value, path: "")
    let value = try payload.read(&data)
    try data.finish()
    return value
  }

  public static func read(canonical line: inout CanonicalLineReader) -> Self? {
    guard line.skip("{"), let value = payload.read(canonical: &line), line.skip("}") else {
      return nil
    }
    return value
  }

  public static var isLimited: Bool { payload.isLimited }

  public func excess(isNew: Bool) -> PayloadReader.Problem? {
    Self.payload.excess(of: self, isNew: isNew)
  }

  public func write(to data: inout PayloadWriter) {
    data.object { Self.payload.write(self, to: &$0) }
  }
}
