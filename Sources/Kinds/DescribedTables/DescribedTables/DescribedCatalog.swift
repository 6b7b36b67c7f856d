public import CatalogEngine
import CatalogModel
import EventLog

/// A catalog whose tables a description names: the front door for apps.
///
/// ```swift
/// let shop = try await DescribedCatalog.open(CatalogDirectory("shop"))
/// let report = try await shop.imports.apply(["products": "products.csv"])
/// report.summary?.tables.first?.changed  // 1_107
/// ```
///
/// Safe to use from several tasks; several processes may have the same catalog open. The value has the description that the log had
/// when it was opened: after another process took a later one, changes are refused until it is opened again.
public final class DescribedCatalog: Sendable {
  public let catalog: EventCatalog<DescribedKind>

  /// Uses a catalog that the caller opened; `close()` closes it.
  public init(_ catalog: EventCatalog<DescribedKind>) {
    self.catalog = catalog
  }

  /// Makes a catalog in a folder that has none, and opens it.
  ///
  /// - Parameter description: `KindDescription.read` reads one from a file.
  /// - Throws: `CatalogError` with `directory` if the folder has a catalog; as `EventCatalog.open`.
  public static func create(
    _ description: KindDescription, in directory: CatalogDirectory,
    options: OpeningOptions = OpeningOptions()
  ) async throws -> DescribedCatalog {
    let kind = DescribedKind(description)
    let isNew = try await Blocking.run {
      try TableCatalog.create(in: directory, kind, by: "person", options: options)
    }
    guard isNew else {
      throw CatalogError(
        .directory, "\(directory.path) already holds a catalog; name another folder")
    }
    return DescribedCatalog(
      try await EventCatalog.openExisting(directory, kind, options: options))
  }

  /// Opens the catalog in a folder, with the description that its log has.
  ///
  /// - Throws: `CatalogError`: `noCatalog` if there is none, `wrongKind` if its log describes no tables; as `EventCatalog.open`.
  public static func open(
    _ directory: CatalogDirectory, options: OpeningOptions = OpeningOptions()
  ) async throws -> DescribedCatalog {
    let kind = try await Blocking.run { try Self.kind(of: directory) }
    return DescribedCatalog(
      try await EventCatalog.openExisting(directory, kind, options: options))
  }

  private static func kind(of directory: CatalogDirectory) throws -> DescribedKind {
    let known = KnownKinds([], descriptions: DescribedKinds())
    let found: (any CatalogKind)?
    do {
      found = try known.certainKind(of: directory.store(), besides: directory.database)
    } catch let error as CatalogError where error.code == .unknownKind {
      throw CatalogError(
        .wrongKind,
        "\(directory.path) has a catalog of a kind that its log does not describe; open it with that kind"
      )
    }
    guard let kind = found as? DescribedKind else {
      throw CatalogError(
        .noCatalog, "there is no catalog in \(directory.path); `create` makes one")
    }
    return kind
  }

  /// The newest description.
  public var description: KindDescription { catalog.kind.description }

  /// Imports documents of other programs.
  public var imports: TableImports { TableImports(catalog: catalog) }

  public func close() { catalog.close() }
}

/// Imports documents into described tables: rows are compared with those of the tables, and only differences become events.
public struct TableImports: Sendable {
  let catalog: EventCatalog<DescribedKind>

  /// Imports documents as one batch.
  ///
  /// ```swift
  /// let report = try await shop.imports.apply(["products": "products.csv"])
  /// ```
  ///
  /// - Parameters:
  ///   - documents: the files, each with the document of the description, or the table, that it is.
  ///   - isComplete: whether each document has all rows of its tables, so that others go; nil if the description decides.
  ///   - allowsRemoval: whether a table may lose more rows than the description allows.
  ///   - takesReverted: whether documents are imported again of which an operation was reverted.
  ///   - wait: for another writer.
  /// - Throws: `DocumentError` if anything in a document is wrong; `RemovalRefusal` if a table would lose too many rows; as
  ///   `EventCatalog.change`. Nothing is appended then.
  @discardableResult
  public func apply(
    _ documents: KeyValuePairs<String, any FilePlace>, isComplete: Bool? = nil,
    allowsRemoval: Bool = false, takesReverted: Bool = false, wait: Duration? = nil
  ) async throws -> TableImportReport {
    try await importer(documents, isComplete, allowsRemoval, takesReverted)
      .apply(to: catalog, wait: wait)
  }

  /// Finds what `apply` would append, and rehearses it: what `apply` refuses, this refuses. Nothing is appended.
  ///
  /// - Throws: as `apply`.
  public func plan(
    _ documents: KeyValuePairs<String, any FilePlace>, isComplete: Bool? = nil,
    allowsRemoval: Bool = false, takesReverted: Bool = false
  ) async throws -> TableImportReport {
    try await importer(documents, isComplete, allowsRemoval, takesReverted)
      .plan(in: catalog.directory, options: catalog.opened.options)
  }

  private func importer(
    _ documents: KeyValuePairs<String, any FilePlace>, _ isComplete: Bool?, _ allowsRemoval: Bool,
    _ takesReverted: Bool
  ) async throws -> TableImporter {
    let places = documents.map { ($0.key, $0.value) }
    let sources = try await Blocking.run {
      try places.map { name, place in
        var request = TableDocumentRequest()
        request.isComplete = isComplete
        return ImportSource(name, try SourceFile(place.filePath()), request)
      }
    }
    var permissions = TableImporter.Permissions()
    permissions.removal = allowsRemoval
    permissions.reverted = takesReverted
    return TableImporter(catalog.kind, sources, permissions)
  }
}
