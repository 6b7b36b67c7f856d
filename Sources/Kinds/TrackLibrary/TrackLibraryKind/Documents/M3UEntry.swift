import CatalogEngine

/// An entry of a playlist: a path or a URI.
enum M3UEntry {
  /// The normalised URI that an entry means; nil for what means none.
  ///
  /// - Parameters:
  ///   - folder: where relative paths begin.
  ///   - exists: whether there is a file of this path.
  static func uri(_ entry: String, in folder: String, _ exists: (String) -> Bool) -> String? {
    if isURI(entry) { return TrackURI.normalized(entry) }
    if entry.hasPrefix("\\\\") {
      // The share of another machine, as Windows writes it.
      let path = entry.replacing("\\", with: "/").replacing("%", with: "%25")
      return TrackURI.normalized("file:" + path)
    }
    var path = entry
    // Lists that Windows wrote part their folders by backslashes.
    if path.hasPrefix("\\") || !isAbsolute(path) && !path.contains("/") {
      path = path.replacing("\\", with: "/")
    }
    func whole(_ path: String) -> String { isAbsolute(path) ? path : folder + "/" + path }
    // Only the entry is decoded: a percent sign in the folder's own name is itself.
    if isEscaped(entry), !exists(whole(path)), let bytes = URIText.unescaped(path.utf8),
      let text = String(validating: bytes, as: UTF8.self)
    {
      path = text
    }
    return TrackURI.file(path: whole(path))
  }

  /// Whether it is a URI, and not the name of a file such as `Overture: Act 1.mp3`.
  private static func isURI(_ entry: String) -> Bool {
    guard let (scheme, rest) = TrackURI.parts(entry) else { return false }
    return rest.hasPrefix("//") || ["file", "spotify", "itunes", "apple-music"].contains(scheme)
  }

  /// Whether a path looks as if it were part of a URI: with percent-encoding, and nothing that needs it.
  private static func isEscaped(_ entry: String) -> Bool {
    entry.utf8.contains(UInt8(ascii: "%")) && URIText.unescaped(entry.utf8) != nil
      && entry.utf8.allSatisfy { 0x21...0x7E ~= $0 }
  }

  private static func isAbsolute(_ path: String) -> Bool {
    path.hasPrefix("/") || path.hasPrefix("\\") || TrackURI.isDrivePath(path)
  }

  /// `Artist - Title` taken apart; the artist is nil if none is named.
  ///
  /// - Parameter artist: where another line names it: it may hold ` - `.
  static func parts(of text: String, artist: String?) -> (artist: String?, title: String) {
    if let artist {
      guard !artist.isEmpty, text.hasPrefix(artist) else { return (artist, text) }
      // There may be more white space than ` - ` has, where the artist ends in some; and none at the end of the line,
      // where the title is empty.
      let rest = text.dropFirst(artist.count)
      let dash = rest.drop(while: \.isWhitespace)
      if dash.startIndex > rest.startIndex {
        if dash == "-" { return (artist, "") }
        if dash.hasPrefix("- ") { return (artist, String(dash.dropFirst(2))) }
      }
      return (artist, text)
    }
    guard let dash = text.firstRange(of: " - ") else { return (nil, text) }
    let title = String(text[dash.upperBound...]).trimmed()
    let name = String(text[..<dash.lowerBound]).trimmed()
    return title.isEmpty || name.isEmpty ? (nil, text) : (name, title)
  }
}
