/// Why tags could not be changed. Nothing was.
public struct TagError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Hashable, Sendable {
    /// A system tag stays as it is.
    case systemTag
    case notFound
    case nameRefused
    case nameTaken
    case colorRefused
    case songNotFound
  }

  public let code: Code
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
