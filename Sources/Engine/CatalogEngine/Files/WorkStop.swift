import Synchronization

/// Stops work whose caller went away, from any thread.
package final class WorkStop: Sendable {
  private struct State {
    var isStopped = false
    var actions: [Int: @Sendable () -> Void] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  package init() {}

  var isStopped: Bool { state.withLock { $0.isStopped } }

  static let stopped = CatalogError(
    .sqlRefused, "the work was stopped, because its answer is not wanted any more")

  package func stop() {
    let actions = state.withLock { state in
      state.isStopped = true
      return Array(state.actions.values)
    }
    for action in actions { action() }
  }

  /// - Throws: `CatalogError` with `sqlRefused` once the work is stopped.
  func check() throws {
    if isStopped { throw Self.stopped }
  }

  /// Runs work, and calls `action` if the work is stopped meanwhile or was before.
  func calling<Result>(
    _ action: @escaping @Sendable () -> Void, while work: () throws -> Result
  ) throws -> Result {
    let (number, isStopped) = state.withLock { state in
      state.next += 1
      state.actions[state.next] = action
      return (state.next, state.isStopped)
    }
    defer { state.withLock { $0.actions[number] = nil } }
    if isStopped { action() }
    return try work()
  }
}
