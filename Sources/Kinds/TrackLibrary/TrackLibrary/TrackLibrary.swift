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
public final class TrackLibrary: Sendable {
  let catalog: EventCatalog<TrackLibraryKind>

  /// Uses a catalog that the caller opened; `close()` closes it.
  public init(_ catalog: EventCatalog<TrackLibraryKind>) {
    self.catalog = catalog
  }

  /// Opens the library in a folder, and makes it if there is none.
  ///
  /// - Throws: as `EventCatalog.open`.
  public static func open(
    _ directory: CatalogDirectory, options: OpeningOptions = OpeningOptions()
  ) async throws -> TrackLibrary {
    let catalog = try await EventCatalog.open(directory, TrackLibraryKind(), options: options)
    do {
      try await catalog.create(by: "person")
    } catch {
      catalog.close()
      throw error
    }
    return TrackLibrary(catalog)
  }

  /// Closes the database. Nothing may be asked of this library afterwards.
  public func close() { catalog.close() }

  /// The library as it was after the batch that holds an event (`EventCatalog.past(after:)`): it is read by the same calls, and
  /// what changes it throws `CatalogError` with `readOnly`.
  public func past(after sequence: UInt64) async throws -> TrackLibrary {
    TrackLibrary(try await catalog.past(after: sequence))
  }

  /// The library as it was at a time (`EventCatalog.past(at:)`).
  public func past(at time: Timestamp) async throws -> TrackLibrary {
    TrackLibrary(try await catalog.past(at: time))
  }

  /// The difference between the library and the same library without an operation (`EventCatalog.whatIf(without:)`).
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

  /// Imports documents of other programs.
  public var imports: TrackImporter { TrackImporter(catalog) }
  /// Finds tracks, and counts plays.
  public var tracks: TrackCatalog { TrackCatalog(catalog) }
  /// Albums and artists, as the tracks name them.
  public var albums: AlbumCatalog { AlbumCatalog(catalog) }
  /// Lists, changes and exports playlists.
  public var playlists: PlaylistEditor { PlaylistEditor(catalog) }
  /// Lists and changes tags.
  public var tags: TagEditor { TagEditor(catalog) }
  /// Songs, and what a server knows of them.
  public var songs: SongCatalog { SongCatalog(catalog) }
}
