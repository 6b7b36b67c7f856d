/// A package of metadata that was read and checked as a whole.
public struct ConcertPackage: Sendable {
  /// The folder, as it was named.
  public let path: String
  public let imported: ImportedPackage
  /// By id.
  public let shows: [ShowFacts]
  /// By identifier; those that some show lists.
  public let recordings: [RecordingFacts]
  /// In the package's order.
  public let collections: [CollectionFacts]

  /// The source of what an import of it appends.
  var source: String { "package:\(imported.version)" }
}
