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
    var path = entry
    if !isAbsolute(path) {
      // Lists that Windows wrote part their folders by backslashes.
      if !path.contains("/") { path = path.replacing("\\", with: "/") }
      path = folder + "/" + path
    } else if path.hasPrefix("\\") {
      path = path.replacing("\\", with: "/")
    }
    if isEscaped(entry), !exists(path), let bytes = URIText.unescaped(path.utf8),
      let text = String(validating: bytes, as: UTF8.self)
    {
      path = text
    }
    return TrackURI.file(path: path)
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

  /// The last name of a URI's path, without its ending.
  static func name(of uri: String) -> String {
    let last = uri.split(separator: "/").last ?? uri[...]
    guard uri.hasPrefix("file:"), let bytes = URIText.unescaped(last.utf8),
      let name = String(validating: bytes, as: UTF8.self)
    else { return uri }
    return AudioFile.title(of: name)
  }

  /// `Artist - Title` taken apart; the artist is nil where none is named.
  ///
  /// - Parameter artist: where another line names it: it may hold ` - `.
  static func parts(of text: String, artist: String?) -> (artist: String?, title: String) {
    if let artist {
      let head = artist + " - "
      // A title may be empty, and no line ends in white space.
      if text == head.trimmed(), !artist.isEmpty { return (artist, "") }
      return (artist, text.hasPrefix(head) ? String(text.dropFirst(head.count)) : text)
    }
    guard let dash = text.firstRange(of: " - ") else { return (nil, text) }
    let title = String(text[dash.upperBound...]).trimmed()
    let name = String(text[..<dash.lowerBound]).trimmed()
    return title.isEmpty || name.isEmpty ? (nil, text) : (name, title)
  }
}
