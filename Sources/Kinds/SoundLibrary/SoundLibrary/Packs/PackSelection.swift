import CatalogModel
import CatalogStore

public import struct Foundation.UUID

/// A pack that somebody chose, or that belongs to "all", by rows that are proved.
public struct SelectedPack: Hashable, Sendable, Identifiable {
  public let id: UUID
  public let title: String

  init(_ rows: PackWithFiles) {
    id = UUID(rows.id)
    title = rows.title
  }
}

/// Which packs there are to work on: what `PackDownloadManager` is then told of.
///
/// Lists of `PackRepository` are for showing. What "all" means decides what is downloaded, and rows that somebody
/// changed by hand must not make that nothing.
public struct PackSelection: Sendable {
  private let library: SoundLibrary

  init(_ library: SoundLibrary) {
    self.library = library
  }

  /// Those that are not installed in their newest version, by kind and title.
  ///
  /// - Throws: `StoreError` with `drifted` if the rows are not what the log says.
  public func outdated() async throws -> [SelectedPack] {
    try await all { $0.state != .downloaded || $0.installedVersion ?? 0 < $0.version }
  }

  /// Those that were ever downloaded, wholly or in part, by kind and title.
  ///
  /// - Throws: as `outdated`.
  public func begun() async throws -> [SelectedPack] {
    try await all { $0.state != .notDownloaded }
  }

  /// These packs, in this order.
  ///
  /// - Throws: as `outdated`; `CatalogError` with `notFound` if one of them is no pack of this catalog.
  public func packs(_ ids: [UUID]) async throws -> [SelectedPack] {
    try await Blocking.run {
      try ids.map { SelectedPack(try PackStates(library, EntityID($0)).read()) }
    }
  }

  private func all(
    where isWanted: @escaping @Sendable (PackWithFiles) -> Bool
  ) async throws -> [SelectedPack] {
    try await Blocking.run {
      try library.readProved(PackWithFiles.all).filter(isWanted)
        .sorted { ($0.kind.rawValue, $0.title, $0.id) < ($1.kind.rawValue, $1.title, $1.id) }
        .map(SelectedPack.init)
    }
  }
}
