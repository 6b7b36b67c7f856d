/// All events of a kind of catalog.
///
/// ```swift
/// extension BookEvent: DescribedEvent {
///   static let vocabulary = EventVocabulary {
///     EventDescription("book.returned", "book", BookEvent.returned) {
///       if case .returned(let book) = $0 { book } else { nil }
///     }
///   }
/// }
/// ```
public final class EventVocabulary<Event: Sendable>: Sendable {
  public let events: [EventDescription<Event>]
  private let named: [String: EventDescription<Event>]
  private let find: @Sendable (Event) -> EventDescription<Event>?

  // Inlined into the modules of kinds, which know the type of the events: to search in a generic function took longer than
  // to write an event.
  @inlinable
  public convenience init(
    @EventVocabularyBuilder<Event> _ events: () -> [EventDescription<Event>]
  ) {
    let events = events()
    self.init(events) { event in
      for description in events where description.holds(event) { return description }
      return nil
    }
  }

  @usableFromInline
  init(
    _ events: [EventDescription<Event>],
    find: @escaping @Sendable (Event) -> EventDescription<Event>?
  ) {
    self.events = events
    self.find = find
    named = Dictionary(
      events.map { ($0.name, $0) },
      uniquingKeysWith: { event, _ in preconditionFailure("two events are called \(event.name)") })
  }

  subscript(name: String) -> EventDescription<Event>? { named[name] }

  /// The events that come first are found first.
  func description(of event: Event) -> EventDescription<Event> {
    guard let description = find(event) else {
      preconditionFailure("the vocabulary does not describe the event \(event)")
    }
    return description
  }

  /// Why an event goes beyond a limit; nil if it does not.
  ///
  /// - Parameter isNew: whether the event is about to be written: some limits are narrower then.
  public func excess(of event: Event, isNew: Bool = false) -> String? {
    let description = description(of: event)
    guard description.isLimited, let excess = description.excess(event, isNew) else { return nil }
    return excess.path.isEmpty ? excess.message : "\(excess.path.dropFirst()) \(excess.message)"
  }
}

@resultBuilder
public enum EventVocabularyBuilder<Event> {
  public static func buildBlock(_ events: EventDescription<Event>...) -> [EventDescription<Event>] {
    events
  }
}

/// A type of events that describes each of them once. A kind of catalog with such events needs only to say what they do to
/// rows.
public protocol DescribedEvent: Sendable {
  static var vocabulary: EventVocabulary<Self> { get }
}

/// The name of an event that a vocabulary describes.
public struct EventName<Event: DescribedEvent>: EventTypeName {
  let description: EventDescription<Event>

  private init(_ description: EventDescription<Event>) {
    self.description = description
  }

  public init?(rawValue: String) {
    guard let description = Event.vocabulary[rawValue] else { return nil }
    self.init(description)
  }

  /// The name of an event.
  public init(of event: Event) {
    self.init(Event.vocabulary.description(of: event))
  }

  public static var allCases: [EventName] { Event.vocabulary.events.map { EventName($0) } }

  public var rawValue: String { description.name }
  public var version: Int64 { description.version }
  /// The JSON Schema of the payload.
  public var schema: JSONValue { description.schema }
  /// The key of the id of what the event is about: the first of the payload.
  package var subject: String? { description.subject }

  /// Reads the payload of an event of this name.
  package func read(from data: inout PayloadReader) throws(PayloadReader.Problem) -> Event {
    try description.read(&data)
  }

  /// Reads the members of the payload in canonical form; nil if they have another form, which `read` judges.
  package func read(canonical line: inout CanonicalLineReader) -> Event? {
    description.readCanonical(&line)
  }

  /// Writes the payload of an event of this name.
  package func write(_ event: Event, to data: inout PayloadWriter) {
    description.write(event, &data)
  }
}

/// The name must be one that the vocabulary has.
extension EventName: ExpressibleByStringLiteral {
  public init(stringLiteral name: String) {
    guard let known = EventName(rawValue: name) else {
      preconditionFailure("there is no event \(name)")
    }
    self = known
  }
}
