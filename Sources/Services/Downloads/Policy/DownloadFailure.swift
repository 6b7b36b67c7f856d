/// Why a download ended without what it was to bring.
///
/// The message names what and where, and no query of any address.
public struct DownloadFailure: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Hashable, Sendable {
    /// The server could not be reached, or broke off, time and again.
    case network
    /// The server is busy and asks for a longer pause than is waited for.
    case busy
    /// The server refuses: 401, 403, 404, 410 and the like.
    case refused
    /// What the server sends is not what the manifest says: length, kind, encoding.
    case unexpectedContent
    /// The bytes have another SHA-256 than the manifest says.
    case wrongHash
    /// A redirect leads where no download may go.
    case unsafeAddress
    /// A manifest that is refused.
    case manifest
    /// The volume is full, or a limit on file sizes was reached.
    case noSpace
    /// A file or folder cannot be used; a symbolic link in its place, for example.
    case file
  }

  public let code: Code
  public let message: String
  /// Whether trying again later, with what is there already, may do.
  public let isResumable: Bool

  package init(_ code: Code, _ message: String, isResumable: Bool) {
    self.code = code
    self.message = message
    self.isResumable = isResumable
  }

  /// The same, of something that has a name.
  package func of(_ name: String) -> DownloadFailure {
    DownloadFailure(code, "\(name): \(message)", isResumable: isResumable)
  }

  public var description: String { message }
}
