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
  }

  private let lock = NSLock()
  private var outcome = Outcome.nothing

  package init() {}

  /// Forgets what was appended: another change begins.
  package func begin() {
    lock.withLock { outcome = .nothing }
  }

  /// Appends a batch, and records that in the same step: the lock is held until the events are durable.
  func append(_ batch: consuming EventBatch, to writer: EventLogWriter) throws -> LogHead {
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

  func applied(_ head: LogHead) {
    lock.withLock { outcome = .applied(head) }
  }

  /// Calls a body that ends the process. An append that runs is finished before, and none begins meanwhile: the outcome
  /// stays true.
  package func end(_ body: (Outcome) -> Void) {
    lock.withLock { body(outcome) }
  }
}
