import CatalogEngine

/// Why a playlist could not be changed. Nothing was.
public struct PlaylistError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What a program decides by; `message` is for a person.
  public enum Code: String, Hashable, Sendable {
    /// There is no playlist with this id or name.
    case notFound
    /// Several playlists have this name.
    case ambiguous
    /// `create` was given the id of a playlist that exists.
    case taken
    /// A name is blank, has more than `TextRules.nameLimit` bytes, or holds a line break or U+0000.
    case nameRefused
    /// A description or an address has more than `TextRules.textLimit` bytes, or holds U+0000.
    case textRefused
    /// A position is negative, or after the last one that the change allows.
    case noPosition
    /// A track's address cannot stand in a file of this form.
    case notWritable
  }

  public let code: Code
  /// For a person: names the playlist, the name, the position or the track that was refused.
  public let message: String
  /// With `notFound`, the name of a playlist that may have been meant.
  public let suggestion: String?

  init(_ code: Code, _ message: String, suggestion: String? = nil) {
    self.code = code
    self.message = message
    self.suggestion = suggestion
  }

  public var description: String {
    suggestion.map { "\(message); did you mean \"\($0)\"?" } ?? message
  }

  static func noPosition(_ position: Int, _ last: Int) -> PlaylistError {
    PlaylistError(
      .noPosition,
      last < 0
        ? "the playlist has no position \(position): it is empty"
        : "the playlist has no position \(position); positions go from 0 to \(last)")
  }

  /// - Returns: nil for an empty text.
  static func text(_ text: String, _ noun: String) throws(PlaylistError) -> String? {
    guard !text.isEmpty else { return nil }
    return try TextRules.apply(TextRules.verbatim, to: text) {
      PlaylistError(.textRefused, "\(noun) \($0.sentence(of: text))")
    }
  }

  static func name(_ text: String) throws(PlaylistError) -> String {
    guard !text.contains(where: \.isNewline) else {
      throw PlaylistError(
        .nameRefused,
        "\"\(JSONExcerpt.printable(text))\" has a line break, which a file of a playlist cannot hold; "
          + "write it as one line")
    }
    return try TextRules.apply(TextRules.name, to: text) {
      PlaylistError(.nameRefused, $0.sentence(of: text))
    }
  }
}
