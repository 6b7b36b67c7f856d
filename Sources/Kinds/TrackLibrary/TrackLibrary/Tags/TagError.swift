/// Why tags could not be changed. Nothing was.
public struct TagError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What a program decides by; `message` is for a person.
  public enum Code: String, Hashable, Sendable {
    /// A system tag stays as it is.
    case systemTag
    /// No tag has this name.
    case notFound
    /// The name of a tag or of a source is blank, has more than `TextRules.nameLimit` bytes, or holds U+0000.
    case nameRefused
    /// Another tag has this name.
    case nameTaken
    /// A colour is not six hex digits, with `#` or without it.
    case colorRefused
    /// No song has this id or name, or, in `set`, the song was removed.
    case songNotFound
  }

  public let code: Code
  /// For a person: names the tag, the colour or the song that was refused.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
