/// The events of a change in their order, which are made when they are asked for.
///
/// An array of the events of a large document takes many times the memory of the document.
///
/// ```swift
/// PlannedEvents(count: groups.count, event: { .rowsPut(rows(of: groups[$0])) })
/// ```
public struct PlannedEvents<Event: Sendable>: RandomAccessCollection, Sendable {
  public let count: Int
  private let event: @Sendable (Int) -> Event
  private let release: @Sendable () -> Void

  /// Events that the caller has already.
  public init(_ events: [Event] = []) {
    self.init(count: events.count, event: { events[$0] })
  }

  /// - Parameters:
  ///   - release: called when no event is asked for any more, at most once for a change that succeeds.
  ///   - event: makes the event of a place: the same one each time.
  public init(
    count: Int, release: @escaping @Sendable () -> Void = {},
    event: @escaping @Sendable (_ place: Int) -> Event
  ) {
    self.count = count
    self.release = release
    self.event = event
  }

  /// Events of several parts, one part after another.
  public init(joining parts: [PlannedEvents]) {
    let parts = parts.filter { !$0.isEmpty }
    var ends: [Int] = []
    for part in parts { ends.append((ends.last ?? 0) + part.count) }
    self.init(
      count: ends.last ?? 0,
      release: { [parts] in
        for part in parts { part.releaseAll() }
      },
      event: { [ends] place in
        let part = ends.firstIndex { place < $0 } ?? 0
        return parts[part][place - (ends[part] - parts[part].count)]
      })
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { count }
  public subscript(place: Int) -> Event { event(place) }

  /// Frees what the events are made of. None can be made afterwards.
  func releaseAll() { release() }
}
