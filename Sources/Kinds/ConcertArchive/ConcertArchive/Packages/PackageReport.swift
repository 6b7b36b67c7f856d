public import CatalogEngine

/// What an import of a package did, or would do.
public struct PackageReport: Hashable, Sendable {
  public typealias Outcome = ImportOutcome

  public internal(set) var outcome: Outcome
  /// The operation that imported the package before, if the outcome is `reverted`.
  public let reverted: RevertedRow?
  public let package: ImportedPackage
  /// How many values of the package differ from the archive, if the outcome is `reverted`; nil if that cannot be counted.
  public internal(set) var differing: Int? = 0
  /// The changes of rows that the import made; nil if nothing was appended, and if the rows are very many.
  public internal(set) var summary: OperationSummary?
  /// How many events of each type.
  public let events: [ConcertEventType: Int]
  /// Shows that the package lacks and that stay.
  public let keptShows: Int
  /// Shows of the library that go with `removesShows`, with their notes.
  public let lostFromLibrary: [String]
  /// Collections that the package removes, or from which it takes shows, in the order of their ids.
  public let lostCollections: [LostCollection]
  /// How many collections the archive had before.
  public let collections: Int
  /// How many shows these collections had together.
  public let memberships: Int
  /// Set if the archive had a newer package: without `allowsOlder` an import of this one is refused.
  public let older: OlderPackage?
  /// The log's last sequence afterwards; nil for a dry run.
  public internal(set) var sequence: UInt64?

  /// How many of the memberships go.
  public var lostMemberships: Int { lostCollections.reduce(0) { $0 + $1.lostShows } }

  public var eventCount: Int { events.values.reduce(0, +) }

  public func count(of type: ConcertEventType) -> Int { events[type] ?? 0 }

  init(_ plan: PackagePlan) {
    reverted = plan.reverted
    outcome = reverted != nil ? .reverted : plan.events.isEmpty ? .unchanged : .planned
    package = plan.package.imported
    events = Dictionary(
      plan.events.map { (EventName(of: $0), 1) }, uniquingKeysWith: +)
    keptShows = plan.kept
    lostFromLibrary = plan.lostFromLibrary
    lostCollections = plan.lostCollections
    collections = plan.collections.count
    memberships = plan.collections.memberships
    older = plan.older
  }

  mutating func complete(_ change: ChangeReport) {
    sequence = change.sequence
    summary = change.summary
    if reverted != nil { differing = change.differing }
    if reverted == nil { outcome = ImportOutcome(change.outcome) }
  }
}
