import CatalogEngine
import CatalogModel
import ConcertArchiveKind
import Synchronization

/// Brings packages of metadata into an archive: appends what they say differently.
///
/// What a person added (library, notes, plays) stays.
public struct PackageImporter: Sendable {
  private let catalog: EventCatalog<ConcertArchiveKind>

  init(_ catalog: EventCatalog<ConcertArchiveKind>) {
    self.catalog = catalog
  }

  /// Imports the package that was unpacked into a folder.
  ///
  /// - Parameters:
  ///   - path: holds `manifest.json`, `collections.json`, `shows/*.json` and `recordings/*.json`.
  ///   - removesShows: whether shows that the package lacks are removed, from the library too. They stay else.
  ///   - wait: for another writer; nil for what the archive was opened with.
  ///   - progress: called with how many files were read, of how many.
  /// - Throws: `DocumentError` where anything in the package is wrong; what `EventCatalog.change` throws. Nothing is
  ///   appended then.
  @discardableResult
  public func apply(
    _ path: String, removesShows: Bool = false, wait: Duration? = nil,
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) async throws -> PackageReport {
    let package = try await Self.read(path, progress)
    let found = Mutex<PackageReport?>(nil)
    let change = try await catalog.change(
      by: "package:\(package.imported.version)", wait: wait, loading: PackagePlan.tables
    ) { rows in
      let plan = try PackagePlan(package, removesShows: removesShows, rows: rows)
      found.withLock { $0 = PackageReport(plan) }
      return plan.events
    }
    guard var report = found.withLock({ $0 }) else {
      preconditionFailure("a change is planned before it is made")
    }
    report.complete(change)
    return report
  }

  /// What `apply` would append; nothing is.
  public func plan(
    _ path: String, removesShows: Bool = false,
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) async throws -> PackageReport {
    let package = try await Self.read(path, progress)
    let found = Mutex<PackageReport?>(nil)
    _ = try await catalog.planned(loading: PackagePlan.tables) { rows in
      let plan = try PackagePlan(package, removesShows: removesShows, rows: rows)
      found.withLock { $0 = PackageReport(plan) }
      return plan.events
    }
    guard let report = found.withLock({ $0 }) else {
      preconditionFailure("a plan is made before it is handed out")
    }
    return report
  }

  private static func read(
    _ path: String, _ progress: @escaping @Sendable (Int, Int) -> Void
  ) async throws -> ConcertPackage {
    try await Blocking.run { try PackageFolder(path).read(progress) }
  }
}
