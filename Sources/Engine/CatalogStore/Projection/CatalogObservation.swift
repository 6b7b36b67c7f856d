/// A value of the catalog as it changes: the first element is what it is now, each further one what a
/// change of the database, by this process or another, made of it.
///
/// Elements that are equal to the one before are left out; where changes come faster than elements are
/// asked for, the newest one is handed out. Ends when its task is cancelled, and throws where the
/// database cannot be read any more.
public struct CatalogObservation<Element: Equatable & Sendable>: AsyncSequence, Sendable {
  /// How often the database is asked whether it changed: 60 µs each time.
  static var interval: Duration { .milliseconds(100) }

  private let changes: DatabaseChanges?
  private let fetch: @Sendable () async throws -> Element

  /// - Parameter changes: nil if nothing changes: there is one element then.
  init(changes: DatabaseChanges?, fetch: @escaping @Sendable () async throws -> Element) {
    self.changes = changes
    self.fetch = fetch
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(changes: changes, fetch: fetch)
  }

  public struct Iterator: AsyncIteratorProtocol, Sendable {
    fileprivate let changes: DatabaseChanges?
    fileprivate let fetch: @Sendable () async throws -> Element
    private var last: Element?
    private var seen: Int?

    fileprivate init(
      changes: DatabaseChanges?, fetch: @escaping @Sendable () async throws -> Element
    ) {
      self.changes = changes
      self.fetch = fetch
    }

    public mutating func next() async throws -> Element? {
      do {
        while !Task.isCancelled {
          // Asked before the value is read: what is committed in between is seen next time.
          let generation = try await changes?.generation() ?? 0
          if generation != seen {
            let element = try await fetch()
            seen = generation
            if element != last {
              last = element
              return element
            }
          }
          if changes == nil { return nil }
          try await Task.sleep(for: CatalogObservation.interval)
        }
        return nil
      } catch is CancellationError {
        return nil
      }
    }
  }
}
