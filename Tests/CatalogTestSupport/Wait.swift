/// Waits for what a task, a program or a server does.
package enum Wait {
  /// Returns as soon as a condition holds, and looks again and again until then.
  ///
  /// - Parameter what: what is waited for, in the error.
  /// - Throws: if it has not come after ten minutes, so that a test that fails also ends.
  package static func until(
    _ what: @autoclosure () -> String, _ holds: () async throws -> Bool
  ) async throws {
    let end = ContinuousClock.now + .seconds(600)
    while try await !holds() {
      guard .now < end else { throw NeverCame(what: what()) }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  package struct NeverCame: Error {
    let what: String
  }
}
