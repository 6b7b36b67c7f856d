public import CatalogEngine
import CatalogModel

/// Brings packages of metadata into an archive: appends what they say differently.
///
/// What a person added (library, notes, plays) stays.
public struct PackageImporter: Sendable {
  let catalog: EventCatalog<ConcertArchiveKind>

  /// Imports the package that was unpacked into a folder.
  ///
  /// - Parameters:
  ///   - folder: holds `manifest.json`, `collections.json`, `shows/*.json` and `recordings/*.json`.
  ///   - removesShows: whether shows that the package lacks are removed, from the library too. If not, they stay.
  ///   - takesReverted: whether the import brings back what a revert took of this package. Otherwise that stays reverted, and
  ///     `PackageImportReport.differing` says how many of its values differ.
  ///   - allowsOlder: whether a package may be older than the one that the archive has.
  ///   - wait: for another writer; nil for what the archive was opened with.
  ///   - progress: called with how many files were read, of how many.
  /// - Throws: `DocumentError` if anything in the package is wrong; `OlderPackage`; what `EventCatalog.change` throws. Nothing is
  ///   appended then.
  @discardableResult
  public func apply(
    _ folder: some FilePlace, removesShows: Bool = false, takesReverted: Bool = false,
    allowsOlder: Bool = false, wait: Duration? = nil,
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) async throws -> PackageImportReport {
    try await apply(
      Self.read(folder, progress), removesShows, takesReverted, allowsOlder, wait)
  }

  /// Imports a package into the archive of a folder, which is made if there is none. A package that is refused leaves no trace.
  public static func apply(
    _ folder: some FilePlace, to directory: CatalogDirectory,
    options: OpeningOptions = OpeningOptions(),
    removesShows: Bool = false, takesReverted: Bool = false, allowsOlder: Bool = false,
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) async throws -> PackageImportReport {
    let package = try await read(folder, progress)
    let catalog = try await EventCatalog.open(directory, ConcertArchiveKind(), options: options)
    defer { catalog.close() }
    return try await PackageImporter(catalog: catalog).apply(
      package, removesShows, takesReverted, allowsOlder, nil)
  }

  private func apply(
    _ package: ConcertPackage, _ removesShows: Bool, _ takesReverted: Bool, _ allowsOlder: Bool,
    _ wait: Duration?
  ) async throws -> PackageImportReport {
    try await catalog.importing(
      by: package.source, document: Array(package.imported.sha256.utf8),
      wait: wait, loading: PackagePlan.tables
    ) { rows in
      let plan = try PackagePlan(
        package, removesShows: removesShows, takesReverted: takesReverted, rows: rows)
      if plan.reverted == nil, let older = plan.older, !allowsOlder { throw older }
      return Self.change(plan)
    }
  }

  private static func change(
    _ plan: PackagePlan
  ) -> PlannedChange<ConcertEvent, PackageImportReport> {
    var change = PlannedChange(plan.events, value: PackageImportReport(plan))
    change.alternative = plan.alternative
    return change
  }

  /// What `apply` would append; nothing is.
  public func plan(
    _ folder: some FilePlace, removesShows: Bool = false, takesReverted: Bool = false,
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) async throws -> PackageImportReport {
    let package = try await Self.read(folder, progress)
    let plan: @Sendable (ProvedRows) throws -> PlannedChange<ConcertEvent, PackageImportReport> = {
      try Self.change(
        PackagePlan(package, removesShows: removesShows, takesReverted: takesReverted, rows: $0))
    }
    var report = try await catalog.readProved(loading: PackagePlan.tables) { try plan($0).value }
    if report.reverted != nil {
      report.report.differing = try await catalog.differingValues(planning: plan)
    }
    return report
  }

  /// Finds what `apply` would append to an archive that is not opened: no file in its folder is created or changed.
  public static func plan(
    _ folder: some FilePlace, in directory: CatalogDirectory,
    options: OpeningOptions = OpeningOptions(),
    removesShows: Bool = false, takesReverted: Bool = false,
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) async throws -> PackageImportReport {
    let package = try await read(folder, progress)
    return try await EventCatalog.plannedImport(
      in: directory, ConcertArchiveKind(), options: options, loading: PackagePlan.tables
    ) {
      try Self.change(
        PackagePlan(package, removesShows: removesShows, takesReverted: takesReverted, rows: $0))
    }
  }

  private static func read(
    _ folder: some FilePlace, _ progress: @escaping @Sendable (Int, Int) -> Void
  ) async throws -> ConcertPackage {
    let path = try folder.filePath()
    return try await Blocking.run { try PackageFolder(path).read(progress) }
  }
}
