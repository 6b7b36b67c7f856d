public import CatalogModel
public import Projections

public import struct Foundation.URL

/// The front door of a kind for apps: a catalog of that kind in a folder, with the calls that all kinds have.
///
/// ```swift
/// public final class Shelf: CatalogFrontDoor {
///   public static let kind = Bookshelf()
///   public let catalog: EventCatalog<Bookshelf>
///
///   public init(_ catalog: EventCatalog<Bookshelf>) {
///     self.catalog = catalog
///   }
/// }
///
/// let shelf = try await Shelf.open(CatalogDirectory("shelf"))
/// ```
///
/// Safe to use from several tasks; several processes may have the same catalog open.
public protocol CatalogFrontDoor: Sendable {
  associatedtype Kind: CatalogKind

  /// The kind with which a catalog is opened.
  static var kind: Kind { get }
  var catalog: EventCatalog<Kind> { get }

  /// Uses a catalog that the caller opened; `close()` closes it.
  init(_ catalog: EventCatalog<Kind>)
}

extension CatalogFrontDoor {
  /// Opens the catalog in a folder, and makes it if there is none.
  ///
  /// - Throws: as `EventCatalog.open`.
  public static func open(
    _ directory: CatalogDirectory, options: OpeningOptions = OpeningOptions()
  ) async throws -> Self {
    let catalog = try await EventCatalog.open(directory, kind, options: options)
    do {
      try await catalog.create(by: "person")
    } catch {
      catalog.close()
      throw error
    }
    return Self(catalog)
  }

  /// Opens the catalog in the folder that a file URL names, as the other `open` does.
  ///
  /// - Throws: `CatalogError` with `directory` if it is not a file URL; as `EventCatalog.open`.
  public static func open(
    _ folder: URL, options: OpeningOptions = OpeningOptions()
  ) async throws -> Self {
    try await open(CatalogDirectory(folder), options: options)
  }

  /// Closes the database. Nothing may be asked of this catalog afterwards.
  public func close() { catalog.close() }

  /// The catalog as it was after the batch that holds an event (`EventCatalog.past(after:)`): it is read by the same calls, and
  /// what changes it throws `CatalogError` with `readOnly`.
  public func past(after sequence: UInt64) async throws -> Self {
    Self(try await catalog.past(after: sequence))
  }

  /// The catalog as it was at a time (`EventCatalog.past(at:)`).
  public func past(at time: Timestamp) async throws -> Self {
    Self(try await catalog.past(at: time))
  }

  /// The difference between the catalog and the same catalog without an operation (`EventCatalog.whatIf(without:)`).
  public func whatIf(without operation: OperationName) async throws -> WhatIf {
    try await catalog.whatIf(without: operation)
  }

  /// Takes back what operations changed (`EventCatalog.revert`).
  public func revert(
    _ operation: OperationName, tables: [String] = [], columns: [String] = [],
    where condition: String? = nil, reason: String? = nil, force: Bool = false,
    wait: Duration? = nil
  ) async throws -> RevertReport {
    try await catalog.revert(
      operation, tables: tables, columns: columns, where: condition, reason: reason, force: force,
      wait: wait)
  }

  /// Plans what `revert` would do now (`EventCatalog.plannedRevert`).
  public func plannedRevert(
    _ operation: OperationName, tables: [String] = [], columns: [String] = [],
    where condition: String? = nil, force: Bool = false
  ) async throws -> RevertReport {
    try await catalog.plannedRevert(
      operation, tables: tables, columns: columns, where: condition, force: force)
  }

  /// The operations that are reverted now, by their first events.
  public func revertedOperations() async throws -> [RevertedRow] {
    try await catalog.revertedOperations()
  }
}

extension CatalogFrontDoor where Kind: ExportingKind {
  /// Writes the state that is read as documents that imports read (`EventCatalog.export(to:)`).
  public func export(to folder: some FilePlace) async throws -> ExportReport {
    try await catalog.export(to: folder)
  }
}
