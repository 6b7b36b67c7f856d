import LibC

/// Writes the payload of an event as canonical JSON: its members in the order of the calls.
///
/// What no log may hold (texts that are not in Unicode's normal form C or contain U+0000, numbers that are not finite)
/// is not written: the event is refused, with the key.
///
/// ```swift
/// data.value("book", event.book)
/// data.value("title", event.title)
/// ```
public struct PayloadWriter {
  var writer: CanonicalWriter
  private var refusal: (place: String, reason: String)?
  @usableFromInline private(set) var isRefused = false
  private var state = State.empty

  private enum State {
    case empty
    case open
  }

  init(_ writer: CanonicalWriter) {
    self.writer = writer
  }

  /// Why the event cannot be written; nil if it can.
  var problem: String? { refusal.map { "\($0.place) \($0.reason)" } }

  /// Ends the object.
  mutating func finish() {
    writer.raw(state == .empty ? "{}" : "}")
  }

  /// Writes a key and its value.
  @inlinable
  public mutating func value(_ key: StaticString, _ value: some PayloadValue) {
    let hadProblem = isRefused
    begin(key)
    value.write(to: &self)
    if isRefused, !hadProblem { refuseBelow(key.description) }
  }

  /// Writes a key that the program does not know beforehand, and its value.
  package mutating func value(forKey key: String, _ value: some PayloadValue) {
    let hadProblem = isRefused
    writer.raw(state == .empty ? "{" : ",")
    state = .open
    writer.string(key)
    writer.raw(":")
    value.write(to: &self)
    if isRefused, !hadProblem { refuseBelow(key) }
  }

  /// Writes the members of an object that was read from a log, or made as its payloads are.
  package mutating func members(of object: JSONValue) {
    guard case .object(let members) = object else { return }
    for member in members {
      writer.raw(state == .empty ? "{" : ",")
      state = .open
      writer.string(member.key)
      writer.raw(":")
      writer.value(member.value)
    }
  }

  @usableFromInline
  mutating func begin(_ key: StaticString) {
    writer.raw(state == .empty ? "{\"" : ",\"")
    state = .open
    writer.raw(key)
    writer.raw("\":")
  }

  /// Writes a text, or `null`.
  public mutating func string(_ key: StaticString, _ text: String?) { value(key, text) }

  /// Writes an array of texts.
  public mutating func strings(_ key: StaticString, _ texts: [String]) { value(key, texts) }

  /// Writes a whole number, or `null`.
  public mutating func integer(_ key: StaticString, _ number: Int64?) { value(key, number) }

  /// Writes a number with its fraction, or `null`.
  public mutating func double(_ key: StaticString, _ number: Double?) { value(key, number) }

  /// Writes `true`, `false`, or `null`.
  public mutating func bool(_ key: StaticString, _ flag: Bool?) { value(key, flag) }

  /// Writes a UUID, or `null`.
  public mutating func id(_ key: StaticString, _ id: EntityID?) { value(key, id) }

  /// Writes an array of objects, each by `body`; nil is `null`.
  ///
  /// ```swift
  /// data.objects("sets", event.sets) { set, data in
  ///   data.string("name", set.name)
  ///   data.strings("songs", set.songs)
  /// }
  /// ```
  public mutating func objects<Element>(
    _ key: StaticString, _ elements: [Element]?, _ body: (Element, inout PayloadWriter) -> Void
  ) {
    let hadProblem = isRefused
    begin(key)
    if let elements {
      array(elements) { element, data in data.object { body(element, &$0) } }
    } else {
      writeNull()
    }
    if isRefused, !hadProblem { refuseBelow(key.description) }
  }

  // MARK: Values

  /// Writes a value with `body`, which vouches for its texts.
  package mutating func write(_ body: (inout CanonicalWriter) -> Void) { body(&writer) }

  @usableFromInline mutating func writeNull() { writer.raw("null") }
  mutating func write(_ value: Int64) { writer.integer(value) }
  mutating func write(_ value: UInt64) { writer.integer(value) }
  mutating func write(_ value: Bool) { writer.bool(value) }
  mutating func write(_ value: EntityID) { writer.id(value) }

  mutating func write(_ value: String) {
    if !writeIfNormal(value) { refuse("is not in Unicode's normal form C") }
  }

  /// Writes a text that is in Unicode's normal form C.
  ///
  /// - Returns: false if it is not; nothing is written then.
  package mutating func writeIfNormal(_ value: String) -> Bool {
    var value = value
    // Most texts are ASCII without a character that JSON escapes: one look at the bytes is enough for all questions.
    let isPlain = value.withUTF8 { utf8 in
      guard JSONScan.plainEnd(in: utf8, from: 0) == utf8.count else { return false }
      writer.plainString(utf8)
      return true
    }
    if isPlain { return true }
    // To ask the view of bytes for a 0 took a fifth of the time of writing an event.
    let hasNull = value.withUTF8 { utf8 in
      utf8.baseAddress.map { memchr($0, 0, utf8.count) != nil } ?? false
    }
    if hasNull {
      refuse("holds U+0000")
      return true
    }
    guard NormalForm.isNFC(value) else { return false }
    writer.string(value)
    return true
  }

  mutating func write(_ value: Double) {
    if value.isFinite {
      writer.double(value)
    } else {
      refuse("is \(value), which is not a number of JSON")
    }
  }

  package mutating func array<Element>(
    _ elements: [Element], _ body: (Element, inout PayloadWriter) -> Void
  ) {
    array(count: elements.count) { place, data in body(elements[place], &data) }
  }

  /// Writes an array whose elements `body` writes by their places.
  package mutating func array(count: Int, _ body: (Int, inout PayloadWriter) -> Void) {
    writer.raw("[")
    for place in 0..<count {
      if place > 0 { writer.raw(",") }
      let hadProblem = isRefused
      body(place, &self)
      if isRefused, !hadProblem { refuseBelow("[\(place)]") }
    }
    writer.raw("]")
  }

  /// Writes an object with `body`.
  package mutating func object(_ body: (inout PayloadWriter) -> Void) {
    let outer = state
    state = .empty
    body(&self)
    finish()
    state = outer
  }

  private mutating func refuse(_ reason: String) {
    writer.raw("null")
    if !isRefused { refusal = ("", reason) }
    isRefused = true
  }

  /// Puts a step before the place of the refusal.
  @usableFromInline
  mutating func refuseBelow(_ step: String) {
    guard let inner = refusal?.place else { return }
    refusal?.place = step + (inner.isEmpty || inner.hasPrefix("[") ? "" : ".") + inner
  }
}

extension CanonicalWriter {
  /// Writes a payload.
  package mutating func payload(_ body: (inout PayloadWriter) -> Void) {
    var data = PayloadWriter(self)
    body(&data)
    data.finish()
    self = data.writer
  }
}
