import CatalogEngine

/// Why a playlist could not be changed. Nothing was.
public struct PlaylistError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Hashable, Sendable {
    case notFound
    case taken
    case nameRefused
    case noPosition
    /// A track's address cannot stand in a file of this form.
    case notWritable
  }

  public let code: Code
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }

  static func noPosition(_ position: Int, _ last: Int) -> PlaylistError {
    PlaylistError(
      .noPosition,
      last < 0
        ? "the playlist has no position \(position): it is empty"
        : "the playlist has no position \(position); positions go from 0 to \(last)")
  }

  static func name(_ text: String) throws(PlaylistError) -> String {
    guard !text.contains(where: \.isNewline) else {
      throw PlaylistError(
        .nameRefused,
        "\"\(JSONExcerpt.printable(text))\" has a line break, which a file of a playlist cannot hold; "
          + "write it as one line")
    }
    do throws(TextProblem) {
      return try TextRules.name(text)
    } catch {
      throw PlaylistError(
        .nameRefused, "\"\(JSONExcerpt.printable(text))\" \(error.message); \(error.advice)")
    }
  }
}
