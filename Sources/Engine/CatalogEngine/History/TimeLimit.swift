import Support

/// The time that a command may take, from the moment at which this is created.
package struct TimeLimit: Sendable {
  private let end: ContinuousClock.Instant

  package init(_ duration: Duration) {
    end = ContinuousClock.now + duration
  }

  /// Zero once the time is over.
  var remaining: Duration { max(.zero, end - ContinuousClock.now) }

  /// - Throws: `CatalogError` with `sqlRefused` once the time is over.
  package func check() throws {
    guard ContinuousClock.now < end else { throw Self.exceeded }
  }

  static let exceeded = CatalogError(
    .sqlRefused, "the command took longer than \(do: .allowMoreTime) and was stopped")
}
