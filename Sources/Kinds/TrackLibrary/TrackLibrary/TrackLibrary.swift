public import CatalogEngine

/// A library of tracks in a folder: the front door for apps.
///
/// ```swift
/// let library = try await TrackLibrary.open(CatalogDirectory("music"))
/// try await library.imports.apply("library.json")
/// let page = try await library.tracks.list(.all, by: .artist, limit: 50)
/// ```
///
/// Safe to use from several tasks; several processes may have the same library open.
public final class TrackLibrary: CatalogFrontDoor {
  public static let kind = TrackLibraryKind()
  public let catalog: EventCatalog<TrackLibraryKind>

  /// Uses a catalog that the caller opened; `close()` closes it.
  public init(_ catalog: EventCatalog<TrackLibraryKind>) {
    self.catalog = catalog
  }

  /// Imports documents of other programs.
  public var imports: TrackImporter { TrackImporter(catalog: catalog) }
  /// Finds tracks, and counts plays.
  public var tracks: TrackQueries { TrackQueries(catalog: catalog) }
  /// Albums and artists, as the tracks name them.
  public var albums: AlbumQueries { AlbumQueries(catalog: catalog) }
  /// Lists, changes and exports playlists.
  public var playlists: PlaylistEditor { PlaylistEditor(catalog: catalog) }
  /// Lists and changes tags.
  public var tags: TagEditor { TagEditor(catalog: catalog) }
  /// Songs, and what a server knows of them.
  public var songs: SongQueries { SongQueries(catalog: catalog) }
}
