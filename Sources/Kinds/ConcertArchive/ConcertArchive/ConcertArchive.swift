public import CatalogEngine

/// An archive of concerts in a folder: the front door for apps.
///
/// ```swift
/// let archive = try await ConcertArchive.open(CatalogDirectory("concerts"))
/// try await archive.packages.apply("data-v2.1.2")
/// let hits = try await archive.shows.search("5-8-77", limit: 20)
/// try await archive.library.add(hits.rows[0].line.showID)
/// ```
///
/// Safe to use from several tasks; several processes may have the same archive open.
public final class ConcertArchive: Sendable {
  let catalog: EventCatalog<ConcertArchiveKind>

  public init(_ catalog: EventCatalog<ConcertArchiveKind>) {
    self.catalog = catalog
  }

  /// Opens the archive in a folder, and makes it if there is none.
  ///
  /// - Throws: as `EventCatalog.open`.
  public static func open(
    _ directory: CatalogDirectory, options: OpeningOptions = OpeningOptions()
  ) async throws -> ConcertArchive {
    let catalog = try await EventCatalog.open(directory, ConcertArchiveKind(), options: options)
    do {
      try await catalog.create(by: "person")
    } catch {
      catalog.close()
      throw error
    }
    return ConcertArchive(catalog)
  }

  /// Closes the database. Nothing may be asked of this archive afterwards.
  public func close() { catalog.close() }

  /// The archive as it was after the batch that holds an event (`EventCatalog.past(after:)`): it is read by the same calls, and
  /// what changes it throws `CatalogError` with `readOnly`.
  public func past(after sequence: UInt64) async throws -> ConcertArchive {
    ConcertArchive(try await catalog.past(after: sequence))
  }

  /// The archive as it was at a time (`EventCatalog.past(at:)`).
  public func past(at time: Timestamp) async throws -> ConcertArchive {
    ConcertArchive(try await catalog.past(at: time))
  }

  /// The difference between the archive and the same archive without an operation (`EventCatalog.whatIf(without:)`).
  public func whatIf(without operation: OperationName) async throws -> WhatIf {
    try await catalog.whatIf(without: operation)
  }

  /// Takes back what operations changed (`EventCatalog.revert`).
  public func revert(
    _ operation: OperationName, reason: String? = nil, force: Bool = false, wait: Duration? = nil
  ) async throws -> RevertReport {
    try await catalog.revert(operation, reason: reason, force: force, wait: wait)
  }

  /// Plans what `revert` would do now (`EventCatalog.plannedRevert`).
  public func plannedRevert(
    _ operation: OperationName, force: Bool = false
  ) async throws -> RevertReport {
    try await catalog.plannedRevert(operation, force: force)
  }

  /// The operations that are reverted now, by their first events.
  public func revertedOperations() async throws -> [RevertedRow] {
    try await catalog.revertedOperations()
  }

  /// Imports packages of metadata.
  public var packages: PackageImporter { PackageImporter(catalog) }
  /// Finds shows, their recordings and collections.
  public var shows: ShowRepository { ShowRepository(catalog) }
  /// Collections of shows.
  public var collections: CollectionRepository { CollectionRepository(catalog) }
  /// The personal library.
  public var library: ShowLibrary { ShowLibrary(catalog) }
  /// What was played lately.
  public var recent: RecentPlays { RecentPlays(catalog) }
}
