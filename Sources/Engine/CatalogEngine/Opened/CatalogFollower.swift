import CatalogModel
import EventLog
import Logging

/// The events that a catalog has applied, each time when it has applied more: those of other machines and programs, too.
///
/// Each element is the sequence of the last event that the database has. The first one is given at once, and each later one is
/// greater than the one before. The sequence ends when its task is cancelled. A server that does not answer is asked again, and
/// the catalog's logger gets a warning.
///
/// ```swift
/// for try await sequence in catalog.follow() {
///   await page.show(event: sequence)
/// }
/// ```
public struct CatalogFollower: AsyncSequence, Sendable {
  public typealias Element = UInt64

  let opened: OpenedCatalog
  let interval: Duration
  /// When it ends; nil if only its task ends it.
  package var deadline: ContinuousClock.Instant?
  /// Called if a server does not answer, once until it answers again.
  package var onSilence: @Sendable (any Error) -> Void

  init(_ opened: OpenedCatalog, every interval: Duration) {
    self.opened = opened
    self.interval = interval
    onSilence = { [logger = opened.options.logger] in logger.warning("\($0)") }
  }

  public func makeAsyncIterator() -> Iterator { Iterator(follower: self) }

  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let follower: CatalogFollower
    private var reached: UInt64?
    private var asked: ContinuousClock.Instant?
    private var isSilent = false
    /// Whether the log was asked for the last time.
    private var isOver = false

    fileprivate init(follower: CatalogFollower) {
      self.follower = follower
    }

    /// - Throws: `EventLogError` with `lostEvents` if the log lacks what the database has; `StoreError` with `drifted` if a row
    ///   was changed by hand.
    public mutating func next() async throws -> UInt64? {
      while !Task.isCancelled {
        if let asked {
          guard !isOver else { return nil }
          var next = asked + follower.interval
          if let deadline = follower.deadline, next >= deadline {
            (next, isOver) = (deadline, true)
          }
          do {
            try await Task.sleep(until: next, clock: .continuous)
          } catch is CancellationError {
            return nil
          }
        }
        asked = .now
        do {
          let sequence = try await Blocking.run { [opened = follower.opened] in
            try opened.follow()
          }
          isSilent = false
          if reached.map({ sequence > $0 }) ?? true {
            reached = sequence
            return sequence
          }
        } catch let error as EventLogError where error.code == .unavailable {
          if !isSilent { follower.onSilence(error) }
          isSilent = true
        }
      }
      return nil
    }
  }
}

extension EventCatalog {
  /// Applies what others append to the log, as it comes.
  ///
  /// A catalog applies it by itself at each change and when it is opened. An app that shows the rows of a log which other
  /// machines share follows it, and observes the rows (`observe`).
  ///
  /// - Parameter interval: between two questions to the log.
  public func follow(every interval: Duration = .seconds(1)) -> CatalogFollower {
    opened.follower(every: interval)
  }
}

extension OpenedCatalog {
  package func follower(every interval: Duration) -> CatalogFollower {
    CatalogFollower(self, every: interval)
  }
}
