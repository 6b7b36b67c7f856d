/// An event, described once: what the log calls it, its payload, and the case of the Swift type that holds it.
///
/// ```swift
/// EventDescription("book.lent", "book", "reader", BookEvent.lent) {
///   if case .lent(let book, let reader) = $0 { (book, reader) } else { nil }
/// }
/// EventDescription("book.added", BookFacts.payload, BookEvent.added) {
///   if case .added(let book) = $0 { book } else { nil }
/// }
/// ```
public final class EventDescription<Event>: Sendable {
  /// `book.lent`
  public let name: String
  /// The version that is written. Older ones are read through upcasters.
  public let version: Int64
  /// The keys of the payload, in the order in which they are written.
  public let keys: [String]
  /// The key of the id of what the event is about: the first of the payload. Nil if the event is about several things.
  package let subject: String?
  /// The JSON Schema of the payload.
  public let schema: JSONValue
  let isLimited: Bool
  @usableFromInline let holds: @Sendable (Event) -> Bool
  let read: @Sendable (inout PayloadReader) throws(PayloadReader.Problem) -> Event
  let readCanonical: @Sendable (inout CanonicalLineReader) -> Event?
  let write: @Sendable (Event, inout PayloadWriter) -> Void
  let excess: @Sendable (Event, _ isNew: Bool) -> PayloadReader.Problem?

  /// Describes an event that holds one value.
  ///
  /// - Parameters:
  ///   - payload: how the value is stored.
  ///   - subject: the key of the id of what the event is about, which is the first of the payload.
  ///   - make: the case: `BookEvent.added`.
  ///   - value: the value of an event of this case; nil if it is of another.
  @inlinable
  public convenience init<Value>(
    _ name: String, version: Int64 = 1, _ payload: Payload<Value>, subject: String? = nil,
    _ make: @escaping @Sendable (Value) -> Event, of value: @escaping @Sendable (Event) -> Value?
  ) {
    self.init(
      name, version, keys: payload.keys, subject: subject, schema: payload.schema,
      isLimited: payload.isLimited,
      holds: { value($0) != nil },
      read: { (data) throws(PayloadReader.Problem) in make(try payload.read(&data)) },
      readCanonical: { payload.read(canonical: &$0).map(make) },
      write: { event, data in
        if let value = value(event) { payload.write(value, to: &data) }
      },
      excess: { event, isNew in value(event).flatMap { payload.excess(of: $0, isNew: isNew) } })
  }

  /// Describes an event that holds a value which is no object.
  @inlinable
  public convenience init<A: PayloadValue>(
    _ name: String, version: Int64 = 1, _ key: StaticString,
    _ make: @escaping @Sendable (A) -> Event, of value: @escaping @Sendable (Event) -> A?
  ) {
    self.init(
      name, version: version, Payload(Member(key, { $0 }), make: { $0 }), make, of: value)
  }

  /// Describes an event that holds two values.
  @inlinable
  public convenience init<A: PayloadValue, B: PayloadValue>(
    _ name: String, version: Int64 = 1, _ first: StaticString, _ second: StaticString,
    _ make: @escaping @Sendable (A, B) -> Event, of values: @escaping @Sendable (Event) -> (A, B)?
  ) {
    self.init(
      name, version: version,
      Payload(Member(first, { $0.0 }), Member(second, { $0.1 }), make: { ($0, $1) }),
      { make($0.0, $0.1) }, of: values)
  }

  /// Describes an event that holds three values. More are better a type of their own.
  @inlinable
  public convenience init<A: PayloadValue, B: PayloadValue, C: PayloadValue>(
    _ name: String, version: Int64 = 1, _ first: StaticString, _ second: StaticString,
    _ third: StaticString, _ make: @escaping @Sendable (A, B, C) -> Event,
    of values: @escaping @Sendable (Event) -> (A, B, C)?
  ) {
    self.init(
      name, version: version,
      Payload(
        Member(first, { $0.0 }), Member(second, { $0.1 }), Member(third, { $0.2 }),
        make: { ($0, $1, $2) }), { make($0.0, $0.1, $0.2) }, of: values)
  }

  @usableFromInline
  init(
    _ name: String, _ version: Int64, keys: [String], subject: String?, schema: JSONValue,
    isLimited: Bool,
    holds: @escaping @Sendable (Event) -> Bool,
    read: @escaping @Sendable (inout PayloadReader) throws(PayloadReader.Problem) -> Event,
    readCanonical: @escaping @Sendable (inout CanonicalLineReader) -> Event?,
    write: @escaping @Sendable (Event, inout PayloadWriter) -> Void,
    excess: @escaping @Sendable (Event, _ isNew: Bool) -> PayloadReader.Problem?
  ) {
    precondition(subject == nil || subject == keys.first, "the subject is the first key")
    self.name = name
    self.version = version
    self.keys = keys
    self.subject = subject
    self.schema = schema
    self.isLimited = isLimited
    self.holds = holds
    self.read = read
    self.readCanonical = readCanonical
    self.write = write
    self.excess = excess
  }
}
