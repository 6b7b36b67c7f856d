public import CatalogEngine

/// The result of an import of a package, or of its dry run. All members of `ImportReport` are its own, too; it has one document.
@dynamicMemberLookup
public struct PackageImportReport: ImportReporting, Hashable {
  public var report: ImportReport<ImportedPackage>
  public let package: ImportedPackage
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

  /// How many of the memberships go.
  public var lostMemberships: Int { lostCollections.reduce(0) { $0 + $1.lostShows } }

  public subscript<Member>(
    dynamicMember member: KeyPath<ImportReport<ImportedPackage>, Member>
  ) -> Member { report[keyPath: member] }

  init(_ plan: PackagePlan) {
    package = plan.package.imported
    report = ImportReport(
      of: [package],
      events: EventCounts(of: plan.events.lazy.map { EventName(of: $0).rawValue })
        .ordered(by: ConcertEventType.allCases.map(\.rawValue)),
      reverted: plan.reverted)
    keptShows = plan.kept
    lostFromLibrary = plan.lostFromLibrary
    lostCollections = plan.lostCollections
    collections = plan.collections.count
    memberships = plan.collections.memberships
    older = plan.older
  }
}
