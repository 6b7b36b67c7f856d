import CatalogEngine
public import ConcertArchiveKind

/// What an import of a package did, or would do.
public struct PackageReport: Hashable, Sendable {
  public enum Outcome: String, Sendable {
    /// The archive says already what the package says: nothing was appended.
    case unchanged
    /// A dry run: these events would be appended.
    case planned
    /// The events are in the log and in the database.
    case imported
    /// The events are in the log; the database does not have them yet. The next opening applies them.
    case appended
  }

  public internal(set) var outcome: Outcome
  public let package: ImportedPackage
  /// How many events of each type.
  public let events: [ConcertEventType: Int]
  /// Shows that the package lacks and that stay.
  public let keptShows: Int
  /// Shows of the library that go with `removesShows`, with their notes.
  public let lostFromLibrary: [String]
  /// The log's last sequence afterwards; nil for a dry run.
  public internal(set) var sequence: UInt64?

  public var eventCount: Int { events.values.reduce(0, +) }

  public func count(of type: ConcertEventType) -> Int { events[type] ?? 0 }

  init(_ plan: PackagePlan) {
    outcome = plan.events.isEmpty ? .unchanged : .planned
    package = plan.package.imported
    events = Dictionary(
      plan.events.map { (ConcertArchiveKind().type(of: $0), 1) }, uniquingKeysWith: +)
    keptShows = plan.kept
    lostFromLibrary = plan.lostFromLibrary
  }

  mutating func complete(_ change: ChangeReport) {
    sequence = change.sequence
    outcome =
      switch change.outcome {
      case .unchanged: .unchanged
      case .applied: .imported
      case .appended: .appended
      }
  }
}
