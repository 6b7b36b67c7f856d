package import EventLog
import Foundation

/// Records what a change has appended to a log, for a process that is asked to end meanwhile.
///
/// `@unchecked Sendable`: the lock guards the outcome. A `Mutex` would need a closure, which cannot consume a batch.
package final class AppendRecord: @unchecked Sendable {
  package enum Outcome: Hashable, Sendable {
    case nothing
    /// The log exists, and has no event of the change.
    case created
    /// The events are durable; the database does not have them yet.
    case appended(LogHead)
    case applied(LogHead)
    /// So many segments of the log were compacted.
    case sealed(Int)
    /// The database was rebuilt, and nothing appended.
    case rebuilt
  }

  private let lock = NSLock()
  private var outcome = Outcome.nothing

  package init() {}

  /// Forgets what was appended: another change begins.
  package func begin() {
    lock.withLock { outcome = .nothing }
  }

  /// Appends a batch, and records that in the same step: the lock is held until the events are durable.
  func append(_ batch: consuming EventBatch, to writer: any LogWriter) throws -> LogHead {
    lock.lock()
    defer { lock.unlock() }
    let head = try batch.append(to: writer)
    outcome = .appended(head)
    return head
  }

  /// Begins a log, and records that in the same step.
  func create(_ body: () throws -> Void) throws {
    try lock.withLock {
      try body()
      outcome = .created
    }
  }

  /// Replaces the database, and records that in the same step.
  func replace(_ body: () throws -> Void) rethrows {
    try lock.withLock {
      try body()
      if outcome == .nothing { outcome = .rebuilt }
    }
  }

  /// Compacts a segment, and counts that in the same step.
  ///
  /// - Parameter body: returns nil if there was nothing to do.
  func seal(_ body: () throws -> SealedSegment?) rethrows -> SealedSegment? {
    try lock.withLock {
      let sealed = try body()
      if sealed != nil {
        if case .sealed(let count) = outcome {
          outcome = .sealed(count + 1)
        } else {
          outcome = .sealed(1)
        }
      }
      return sealed
    }
  }

  /// Whether nothing was appended yet.
  package var isEmpty: Bool {
    lock.withLock { outcome == .nothing || outcome == .rebuilt }
  }

  func applied(_ head: LogHead) {
    lock.withLock { outcome = .applied(head) }
  }

  /// Calls a body that ends the process. An append that runs is finished before, and none begins meanwhile: the outcome
  /// stays true.
  package func end(_ body: (Outcome) -> Void) {
    lock.withLock { body(outcome) }
  }
}
