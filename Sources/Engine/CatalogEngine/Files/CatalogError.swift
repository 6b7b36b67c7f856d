public import Support

/// Why a catalog could not do what it was asked to.
public struct CatalogError: RecoverableError, Sendable {
  public enum Code: String, Sendable {
    /// There is no catalog in that folder.
    case noCatalog
    /// The folder cannot be made or used.
    case directory
    /// Something would have to be written, and the catalog is on read-only media or in the folder of another user.
    case readOnly
    /// The log belongs to another kind of catalog, or to another log than a file that is compared with it.
    case wrongLog
    /// The log belongs to a kind of catalog that this program does not know.
    case unknownKind
    /// The log belongs to another kind of catalog than the one that was asked for.
    case wrongKind
    /// The projection was made by another version of the projector.
    case stale
    /// An id that is not in the catalog.
    case notFound
    /// A name that is taken by another value, or is none.
    case nameRefused
    /// A change that makes no sense, or that the kind does not have.
    case changeRefused
    /// A moment that the history does not have.
    case noMoment
    /// Another process works on the same thing.
    case busy
    /// SQL that is wrong, writes, or takes too long.
    case sqlRefused
    /// Verification could not be carried out.
    case verification
  }

  public let code: Code
  public let explanation: ErrorMessage
  public var message: String { explanation.description }

  package init(_ code: Code, _ explanation: ErrorMessage) {
    self.code = code
    self.explanation = explanation
  }
}
