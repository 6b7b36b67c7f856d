/// Reads a document of our own (a seed, a manifest) to its end, and notes every fault on the way.
///
/// Each call that reads a value moves past it, also if the value is not what was asked for: the reader notes the fault
/// then, with its place and what to do about it, and returns nil. A caller may use any other value in its place, for a
/// document with faults is refused whole:
///
/// ```swift
/// let shelf = try DocumentReader.read(bytes, file: "shelf.json") { document in
///   var titles: [String] = []
///   guard var object = document.object() else { return titles }
///   while let key = document.next(in: &object, keys) {
///     switch key {
///     case .titles: titles = document.list { $0.text(TextRules.name) }
///     }
///   }
///   return titles
/// }
/// ```
///
/// A reader is valid in the closure that receives it, and not afterwards.
public struct DocumentReader {
  /// The rules of a format for keys.
  public struct Rules: Sendable {
    /// Whether a key that is not in the table is a fault. If not, `ignoredKeys` has it.
    public var refusesUnknownKeys: Bool
    /// Whether a key whose value is `null` counts as missing.
    public var omitsNull: Bool

    public init(refusesUnknownKeys: Bool = true, omitsNull: Bool = false) {
      self.refusesUnknownKeys = refusesUnknownKeys
      self.omitsNull = omitsNull
    }
  }

  /// An object that is being read.
  public struct Object {
    var cursor: JSONReader.Cursor
    /// A bit for each key that it has, by the key's place in its table.
    var seen: UInt64 = 0
    /// Keys that are in no table.
    var unknown: [JSONText] = []

    /// Byte offset of the opening brace.
    public var offset: Int { cursor.offset }
  }

  /// An array that is being read.
  public struct Elements {
    var cursor: JSONReader.Cursor
  }

  package var json: JSONReader
  let rules: Rules
  private var faults: DocumentFaults
  /// The keys that were ignored, and the offsets of their objects.
  private var ignored: [(key: JSONText, object: Int, known: JSONSpellings)] = []
  private var misspellings: [[String]: String?] = [:]
  private static let misspellingLimit = 1_000
  /// Byte offset of the key that `next(in:_:)` returned last.
  package private(set) var keyOffset = 0

  init(_ json: JSONReader, _ rules: Rules, _ faults: DocumentFaults) {
    self.json = json
    self.rules = rules
    self.faults = faults
  }

  // MARK: Documents

  /// Reads a whole document.
  ///
  /// - Parameters:
  ///   - file: what errors call it.
  ///   - limit: the most faults that are listed.
  ///   - body: reads the value that the document is; nil only if it has a fault.
  /// - Returns: the result of `body`.
  /// - Throws: `DocumentError` with all faults of the document, if it has any; with one, if it is not JSON.
  public static func read<Value>(
    _ bytes: [UInt8], file: String, rules: Rules = Rules(),
    listing limit: Int = DocumentError.listLimit, _ body: (inout DocumentReader) -> Value?
  ) throws(DocumentError) -> Value {
    try bytes.withRawBytes { (bytes) throws(DocumentError) in
      try read(bytes, file: file, rules: rules, listing: limit, body)
    }
  }

  package static func read<Value>(
    _ bytes: UnsafeRawBufferPointer, file: String, rules: Rules = Rules(),
    listing limit: Int = DocumentError.listLimit, _ body: (inout DocumentReader) -> Value?
  ) throws(DocumentError) -> Value {
    guard !bytes.isEmpty else {
      throw DocumentError(
        code: .fileEmpty, file: file, offset: 0, line: 1, column: 1,
        message: "the document is empty", advice: "a document is one JSON object")
    }
    let reader: JSONReader
    let repeated: DocumentFaults
    do throws(JSONError) {
      reader = JSONReader(bytes)
      repeated = try reader.repeatedKeys()
    } catch {
      throw DocumentError(error, in: bytes, file: file)
    }
    var document = DocumentReader(reader, rules, repeated)
    document.faults.limit = limit
    let value = body(&document)
    guard document.faults.count == 0 else {
      throw DocumentError(document.faults, in: bytes, file: file)
    }
    guard let value else { preconditionFailure("the reading of \(file) failed without a fault") }
    return value
  }

  /// Paths of the keys that were ignored so far, in the document's order: `$.assets[2].gain`.
  public var ignoredKeys: [String] {
    ignored.map(\.key.offset).sorted().map {
      JSONPath.text(at: $0, in: UnsafeRawBufferPointer(json.bytes))
    }
  }

  /// Keys that were ignored so far, each once, in the order of their names.
  public var ignoredNames: [IgnoredName] {
    var first: [String: (place: Int, count: Int)] = [:]
    for (place, key) in ignored.enumerated() {
      first[json.decode(key.key), default: (place, 0)].count += 1
    }
    return first.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { name, found in
      let key = ignored[found.place]
      return IgnoredName(
        name: name, path: JSONPath.text(at: key.object, in: UnsafeRawBufferPointer(json.bytes)),
        count: found.count, nearMiss: NearMiss.find(name, among: key.known.texts))
    }
  }

  /// A key that is in no table.
  public struct IgnoredName: Hashable, Sendable {
    public var name: String
    /// The path of the first object that has it: `$.tracks[3]`.
    public var path: String
    /// How many objects have it.
    public var count: Int
    /// The key that may be meant.
    public var nearMiss: String?
  }

  /// Whether no fault was noted so far. Sums and references are worth checking only then.
  public var isFaultless: Bool { faults.count == 0 }

  // MARK: Objects and arrays

  /// Opens an object, whose members `next(in:_:)` walks; nil if the next value is not one.
  public mutating func object() -> Object? {
    attempt { (json) throws(JSONError) in Object(cursor: try json.openObject()) }
  }

  /// Moves to the next member whose key is in the table; nil closes the object, and then keys that it must have and
  /// has not are noted. The caller reads or skips the value before it asks again.
  @inlinable
  public mutating func next<Key>(in object: inout Object, _ table: JSONKeyTable<Key>) -> Key? {
    place(in: &object, table.spellings).map { table.keys[$0] }
  }

  /// Not generic, so that only the little that is generic is compiled again for each reader.
  @usableFromInline
  mutating func place(in object: inout Object, _ spellings: JSONSpellings) -> Int? {
    while let key = nextKey(in: &object) {
      guard let place = spellings.place(of: key, in: json) else {
        object.unknown.append(key)
        skip()
        continue
      }
      let bit: UInt64 = 1 << UInt64(place)
      // The first of two counts: that there are two was noted when the JSON was checked.
      if object.seen & bit != 0 || rules.omitsNull && isNull {
        skip()
        continue
      }
      object.seen |= bit
      keyOffset = key.offset
      return place
    }
    close(object, spellings)
    return nil
  }

  /// Moves to the next member of an object whose keys are in no table; nil closes it.
  package mutating func nextKey(in object: inout Object) -> JSONText? {
    do throws(JSONError) {
      return try json.nextKey(in: &object.cursor)
    } catch {
      noteBroken(error)
      return nil
    }
  }

  /// Notes the keys that an object lacks, and those that it has too many. A key that is missing because it is misspelt
  /// is one fault.
  private mutating func close(_ object: Object, _ spellings: JSONSpellings) {
    // Most objects, without making an array.
    if object.unknown.isEmpty, spellings.required & ~object.seen == 0 { return }
    var missing = spellings.texts.indices.filter {
      (spellings.required & ~object.seen) >> UInt64($0) & 1 == 1
    }
    for key in object.unknown {
      let word = json.decode(key)
      let near = missing.isEmpty ? nil : misspelt(word, among: missing.map { spellings.texts[$0] })
      if let near {
        missing.removeAll { spellings.texts[$0] == near }
      } else if !rules.refusesUnknownKeys {
        ignored.append((key, object.offset, spellings))
        continue
      }
      note(
        .unknownKey, at: key.offset, "is an unknown key",
        advice: NearMiss.advice(for: word, among: near.map { [$0] } ?? spellings.texts))
    }
    for place in missing { noteMissing(spellings.texts[place], in: object) }
  }

  /// The missing key that a word may mean. A document of many objects has few words: each is looked up once, and of
  /// very many only the first.
  private mutating func misspelt(_ word: String, among missing: [String]) -> String? {
    let question = [word] + missing
    if let known = misspellings[question] { return known }
    guard misspellings.count < Self.misspellingLimit else { return nil }
    let near = NearMiss.find(word, among: missing)
    misspellings[question] = .some(near)
    return near
  }

  /// Opens an array, whose elements `hasNext(in:)` walks; nil if the next value is not one.
  public mutating func elements() -> Elements? {
    attempt { (json) throws(JSONError) in Elements(cursor: try json.openArray()) }
  }

  /// Moves to the next element; false closes the array. The caller reads or skips the element before it asks again.
  public mutating func hasNext(in elements: inout Elements) -> Bool {
    do throws(JSONError) {
      return try json.hasNext(in: &elements.cursor)
    } catch {
      noteBroken(error)
      return false
    }
  }

  /// Reads an array, without the elements that have faults.
  @inlinable
  public mutating func list<Element>(
    _ element: (inout DocumentReader) -> Element?
  ) -> [Element] {
    var list: [Element] = []
    guard var elements = elements() else { return list }
    while hasNext(in: &elements) {
      if let element = element(&self) { list.append(element) }
    }
    return list
  }

  /// Passes over the next value.
  public mutating func skip() {
    do throws(JSONError) {
      try json.skipValue()
    } catch {
      noteBroken(error)
    }
  }

  /// Reads a value that was skipped before: what it means depends on one that comes after it.
  ///
  /// - Parameter offset: `nextOffset` before it was skipped.
  public mutating func reading<Value>(
    at offset: Int, _ value: (inout DocumentReader) -> Value
  ) -> Value {
    let end = json.position
    json.position = offset
    defer { json.position = end }
    return value(&self)
  }

  // MARK: Faults

  /// Byte offset of the next value.
  public var nextOffset: Int { json.nextOffset }

  /// Notes a fault of the value or key at an offset.
  ///
  /// - Parameters:
  ///   - showsValue: whether the value opens the sentence.
  ///   - message: continues the value, if it is shown: "is not a kind of pack".
  ///   - advice: what to do about it; not evaluated for a fault that is only counted.
  public mutating func note(
    _ code: DocumentError.Code, at offset: Int, showsValue: Bool = true, _ message: String,
    advice: @autoclosure () -> String?
  ) {
    faults.add(at: offset) {
      JSONError(code, at: offset, showsValue: showsValue, message, advice: advice())
    }
  }

  /// Notes that an object lacks a key that it must have.
  package mutating func noteMissing(_ key: String, in object: Object) {
    note(
      .missingKey, at: object.offset, showsValue: false, "the key \"\(key)\" is missing",
      advice: "add it")
  }

  /// Reads a value; if it has a fault, notes it and passes over the value.
  package mutating func attempt<Value>(
    _ read: (inout JSONReader) throws(JSONError) -> Value
  ) -> Value? {
    let start = json
    do throws(JSONError) {
      return try read(&json)
    } catch {
      faults.add(error)
      json = start
      skip()
      return nil
    }
  }

  /// The JSON was checked as a whole, so that this does not happen: but if it does, the document is refused, and what is
  /// left of it is not read.
  private mutating func noteBroken(_ error: JSONError) {
    faults.add(error)
    json.position = json.bytes.count
  }
}
