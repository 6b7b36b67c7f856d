public import CatalogModel
public import Projections

/// The documents that an export wrote, and what they do not say.
public struct ExportReport: Sendable {
  /// A document that was written.
  public struct Document: Hashable, Sendable {
    /// Below the folder as it was named.
    public let path: String
    public let bytes: Int
    /// 64 hex digits.
    public let sha256: String
  }

  /// A difference between the documents and what an import reads in them.
  public enum Finding: Sendable {
    /// An import refuses the documents.
    case refused(DocumentError)
    /// An event of an import contradicts those before it.
    case contradiction(ProjectionError)
    /// An import leaves rows of which the document says something else, from a line on, counted from 1.
    case differs(path: String, line: Int)
  }

  /// The last event of the state that the documents have.
  public let head: CatalogHead
  public let documents: [Document]
  /// The entries of all documents together.
  public let entries: [EntryCount]
  /// Rows that no document of the kind can have.
  public let omitted: [OmittedRows]
  /// Empty if an import into a new catalog gives the same content.
  public let findings: [Finding]
}
