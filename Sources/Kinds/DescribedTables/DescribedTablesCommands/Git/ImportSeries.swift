import CatalogEngine
import DescribedTables

/// Imports one after another into a catalog that stays open; each may change its description.
final class ImportSeries {
  /// The kind with the description that the log has.
  private(set) var kind: DescribedKind
  private let directory: CatalogDirectory
  private let options: OpeningOptions
  /// The catalog, opened with the kind of the importer that was applied last. Nil after a failure to open it.
  private var opened: (catalog: EventCatalog<DescribedKind>, kind: DescribedKind)?

  init(
    _ directory: CatalogDirectory, _ kind: DescribedKind, _ options: OpeningOptions
  ) async throws {
    self.kind = kind
    self.directory = directory
    self.options = options
    _ = try await catalog(as: kind)
  }

  /// Imports documents as one batch.
  ///
  /// An importer of a changed schema describes the catalog anew, but not if its documents are refused or stay reverted: then
  /// the log keeps its description, and so does `kind`.
  ///
  /// - Throws: as `TableImporter.apply`; what `EventCatalog.openExisting` throws.
  func apply(_ importer: TableImporter) async throws -> TableImportReport {
    let report = try await importer.apply(to: catalog(as: importer.kind))
    if report.hasDescribed {
      kind = importer.kind
      DescriptionFile.follow(kind, in: directory)
    }
    // The last import leaves the database with the log's description. After an error the next command that opens it does.
    _ = try await catalog(as: kind)
    return report
  }

  func close() {
    opened?.catalog.close()
    opened = nil
  }

  private func catalog(
    as kind: DescribedKind
  ) async throws -> EventCatalog<DescribedKind> {
    if let opened, opened.kind.fingerprint == kind.fingerprint { return opened.catalog }
    close()
    let catalog = try await EventCatalog.openExisting(directory, kind, options: options)
    opened = (catalog, kind)
    return catalog
  }
}
