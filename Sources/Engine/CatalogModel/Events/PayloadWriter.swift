/// Writes the payload of an event as canonical JSON: its members in the order of the calls.
///
/// What no log may hold (texts that are not in Unicode's normal form C or hold U+0000, numbers that are not finite)
/// is not written: the event is refused, with the key.
///
/// ```swift
/// data.id("book", event.book)
/// data.string("title", event.title)
/// ```
public struct PayloadWriter {
  var writer: CanonicalWriter
  /// Why the event cannot be written; nil if it can.
  private(set) var problem: String?
  private var state = State.empty

  private enum State {
    case empty
    case open
    /// The whole object was written.
    case done
  }

  init(_ writer: CanonicalWriter) {
    self.writer = writer
  }

  /// Ends the object.
  mutating func finish() {
    switch state {
    case .empty: writer.raw("{}")
    case .open: writer.raw("}")
    case .done: break
    }
    state = .done
  }

  /// Writes the whole object with `body`, from its `{` to its `}`.
  package mutating func whole(_ body: (inout CanonicalWriter) -> Void) {
    body(&writer)
    state = .done
  }

  /// Writes a text, or `null`.
  public mutating func string(_ key: StaticString, _ value: String?) {
    begin(key)
    guard let value else { return writer.raw("null") }
    guard let refusal = Self.refusal(of: value) else { return writer.string(value) }
    refuse(key, refusal)
  }

  /// Writes an array of texts.
  public mutating func strings(_ key: StaticString, _ values: [String]) {
    begin(key)
    writer.raw("[")
    for (index, value) in values.enumerated() {
      if index > 0 { writer.raw(",") }
      if let refusal = Self.refusal(of: value) {
        refuse(key, refusal)
      } else {
        writer.string(value)
      }
    }
    writer.raw("]")
  }

  /// Writes a whole number, or `null`.
  public mutating func integer(_ key: StaticString, _ value: Int64?) {
    begin(key)
    writer.integer(value)
  }

  /// Writes a number with its fraction, or `null`.
  public mutating func double(_ key: StaticString, _ value: Double?) {
    begin(key)
    if let value, !value.isFinite {
      refuse(key, "is \(value), which is not a number of JSON")
    } else {
      writer.double(value)
    }
  }

  /// Writes `true`, `false`, or `null`.
  public mutating func bool(_ key: StaticString, _ value: Bool?) {
    begin(key)
    if let value { writer.bool(value) } else { writer.raw("null") }
  }

  /// Writes a UUID, or `null`.
  public mutating func id(_ key: StaticString, _ value: EntityID?) {
    begin(key)
    if let value { writer.id(value) } else { writer.raw("null") }
  }

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
    begin(key)
    guard let elements else { return writer.raw("null") }
    writer.raw("[")
    for (index, element) in elements.enumerated() {
      if index > 0 { writer.raw(",") }
      // The bytes move from one to the other and back: nothing is copied.
      var object = PayloadWriter(CanonicalWriter())
      swap(&object.writer, &writer)
      body(element, &object)
      object.finish()
      swap(&object.writer, &writer)
      if problem == nil, let inner = object.problem { problem = "\(key)[\(index)].\(inner)" }
    }
    writer.raw("]")
  }

  private mutating func begin(_ key: StaticString) {
    writer.raw(state == .empty ? "{\"" : ",\"")
    state = .open
    writer.raw(key)
    writer.raw("\":")
  }

  private mutating func refuse(_ key: StaticString, _ reason: String) {
    writer.raw("null")
    if problem == nil { problem = "\(key) \(reason)" }
  }

  private static func refusal(of text: String) -> String? {
    if text.utf8.contains(0) { return "holds U+0000" }
    return NormalForm.isNFC(text) ? nil : "is not in Unicode's normal form C"
  }
}
