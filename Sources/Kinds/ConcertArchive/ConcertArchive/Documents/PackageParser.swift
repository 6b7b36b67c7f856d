import CatalogModel

/// What a package's files have in common.
///
/// Keys that no table here has are passed over: packages carry more than the archive keeps (tracks, pictures). What is
/// read has to be right.
enum PackageFormat {
  static let rules = DocumentReader.Rules(refusesUnknownKeys: false)

  /// What to do about an id whose file the package lacks: most likely, the rest of it is on the way.
  static let halfUnpacked =
    "unpack the whole package again; if the package itself lacks the file, take the id out of this list"
}

extension DocumentReader {
  /// Reads an array; `null` is an empty one.
  mutating func optionalList<Element>(
    _ element: (inout DocumentReader) -> Element?
  ) -> [Element] {
    null() ? [] : list(element)
  }

  /// Reads an identifier of a recording. It names files of the package and of the cache.
  mutating func identifier() -> String? {
    let start = nextOffset
    guard let text = string() else { return nil }
    guard RecordingIdentifier.isFileName(text) else {
      note(
        .invalidValue, at: start, "is not an identifier of a recording",
        advice: RecordingIdentifier.advice)
      return nil
    }
    return text
  }

  /// Reads the id of a show.
  mutating func showID() -> String? {
    let start = nextOffset
    guard let text = text(TextRules.name) else { return nil }
    guard PackageName.isPlain(text) else {
      note(.invalidValue, at: start, "is not an id of a show", advice: PackageName.advice)
      return nil
    }
    return text
  }
}

/// Identifiers of recordings, which become names of files.
public enum RecordingIdentifier {
  static let advice =
    "write 1 to 200 of: letters A to Z and a to z, digits, - _ . and begin with a letter or digit"

  /// Whether a text is an identifier: `[A-Za-z0-9][A-Za-z0-9._-]*`, and short enough for a file's name.
  public static func isFileName(_ text: String) -> Bool {
    guard 1...200 ~= text.utf8.count, let first = text.utf8.first, first.isASCIIAlphanumeric
    else { return false }
    return text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "._-".utf8.contains($0) }
  }
}

/// Ids of shows, each of which names a file of its package. Letters of any script may stand in them.
enum PackageName {
  static let advice = "write letters, digits, - _ . and begin with a letter or digit"

  static func isPlain(_ text: String) -> Bool {
    guard text.utf8.count <= 240, let first = text.unicodeScalars.first, isWordScalar(first),
      first != "_"
    else { return false }
    return text.unicodeScalars.allSatisfy { isWordScalar($0) || $0 == "-" || $0 == "." }
  }

  private static func isWordScalar(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
  }
}
