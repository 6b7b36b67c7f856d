public import CatalogEngine

/// The result of an import of a seed, or of its dry run.
public typealias SeedImportReport = ImportReport<ImportedSeed>

/// A seed document of an import.
public struct ImportedSeed: Hashable, Sendable {
  /// As the caller named it; of the seed inside the library `starter`.
  public let path: String
  public let seedID: String
  /// The revision that the catalog has afterwards.
  public let revision: Int64
  /// The revision that the catalog has, if the document has an older one and stays reverted: it cannot be taken.
  public let newerRevision: Int64?
}
