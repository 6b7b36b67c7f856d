public import CatalogEngine
import ConcertArchiveKind

/// The personal library: shows that somebody keeps, with pins and notes.
public struct ShowLibrary: Sendable {
  let catalog: EventCatalog<ConcertArchiveKind>

  init(_ catalog: EventCatalog<ConcertArchiveKind>) {
    self.catalog = catalog
  }

  /// Adds a show. Adding one that is in the library changes nothing.
  ///
  /// - Throws: `ProjectionError` with `contradiction` if the show does not exist.
  @discardableResult
  public func add(_ show: String) async throws -> ChangeReport {
    try await change { rows in
      try rows.row(of: LibraryShow.table, key: show) == nil ? .libraryShowAdded(show) : nil
    }
  }

  /// Takes a show out, with its notes. One that is not in the library changes nothing.
  @discardableResult
  public func remove(_ show: String) async throws -> ChangeReport {
    try await change { rows in
      try rows.row(of: LibraryShow.table, key: show) == nil ? nil : .libraryShowRemoved(show)
    }
  }

  /// Pins a show, or takes the pin away.
  ///
  /// - Throws: `ProjectionError` with `contradiction` where the show is not in the library.
  @discardableResult
  public func pin(_ show: String, _ isPinned: Bool = true) async throws -> ChangeReport {
    try await change { rows in
      try rows.row(of: LibraryShow.table, key: show)?.isPinned == isPinned
        ? nil : .libraryShowPinned(show, isPinned)
    }
  }

  /// Writes notes on a show; nil takes them away.
  ///
  /// - Throws: `ProjectionError` with `contradiction` where the show is not in the library.
  @discardableResult
  public func note(_ show: String, _ notes: String?) async throws -> ChangeReport {
    let notes = notes.map(NormalizedText.text)
    return try await change { rows in
      if let known = try rows.row(of: LibraryShow.table, key: show), known.libraryNotes == notes {
        return nil
      }
      return .libraryShowNoted(show, notes)
    }
  }

  private func change(
    _ plan: @escaping @Sendable (ProvedRows) throws -> ConcertEvent?
  ) async throws -> ChangeReport {
    try await catalog.change(by: "person") { try plan($0).map { [$0] } ?? [] }
  }
}
