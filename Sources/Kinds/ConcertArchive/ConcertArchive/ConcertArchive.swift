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
public final class ConcertArchive: CatalogFrontDoor {
  public static let kind = ConcertArchiveKind()
  public let catalog: EventCatalog<ConcertArchiveKind>

  public init(_ catalog: EventCatalog<ConcertArchiveKind>) {
    self.catalog = catalog
  }

  /// Imports packages of metadata.
  public var packages: PackageImporter { PackageImporter(catalog: catalog) }
  /// Finds shows, their recordings and collections.
  public var shows: ShowRepository { ShowRepository(catalog: catalog) }
  /// Collections of shows.
  public var collections: CollectionRepository { CollectionRepository(catalog: catalog) }
  /// The personal library.
  public var library: ShowLibrary { ShowLibrary(catalog: catalog) }
  /// What was played lately.
  public var recent: RecentPlays { RecentPlays(catalog: catalog) }
}
