import CatalogEngine

/// An entry of a playlist: a path or a URI.
struct M3UEntry {
  /// Normalised.
  var uri: String
  /// Where it plays: a file that was found is spelled as in its folder.
  var address: String
  var isFound = false

  /// - Parameters:
  ///   - text: as it is in the list, without white space at its ends.
  ///   - bytes: the whole line in the file; nil if it is the same.
  ///   - folder: where relative paths begin.
  ///   - names: of the files of this machine; nil if no file is looked for.
  /// - Returns: nil if the text means no entry.
  init?(_ text: String, _ bytes: [UInt8]? = nil, in folder: String, _ names: FolderNames?) {
    func found(_ path: [UInt8]) -> [UInt8]? { names?.path(of: path) }
    func whole(_ path: [UInt8]) -> [UInt8] {
      path.first == UInt8(ascii: "/") ? path : Array("\(folder)/".utf8) + path
    }
    // A file of this very name is meant, however odd the name is.
    if let path = found(whole(bytes ?? Array(text.utf8))) {
      self.init(path: path, isFound: true)
      return
    }
    let entry = Self.unquoted(text)
    if Self.isURI(entry) {
      guard let uri = TrackURI.normalized(entry) else { return nil }
      let path = TrackURI.path(ofFile: uri).flatMap { found(Array($0.utf8)) }
      if let path {
        self.init(path: path, isFound: true)
      } else {
        self.init(uri: uri, address: TrackURI.address(entry) ?? uri)
      }
      return
    }
    // Lists of Windows part folders by backslashes, and no name there has one.
    var path = entry.replacing(scalar: "\\", with: "/")
    if entry.hasPrefix("\\\\") {
      self.init(share: path)
      return
    }
    if TrackURI.isDrivePath(path) {
      self.init(path: Array(path.utf8))
      return
    }
    // Only the entry is decoded: a percent sign in the folder's own name is itself.
    if Self.isEscaped(entry), found(whole(Array(path.utf8))) == nil,
      let bytes = URIText.unescaped(path.utf8), let text = String(validating: bytes, as: UTF8.self)
    {
      path = text
    }
    let bytes = whole(Array(path.utf8))
    // A path that is as in the list was looked for before.
    if path != text, let path = found(bytes) {
      self.init(path: path, isFound: true)
    } else {
      self.init(path: bytes)
    }
  }

  private init(uri: String, address: String) {
    self.uri = uri
    self.address = address
  }

  private init?(path: [UInt8], isFound: Bool = false) {
    guard let uri = TrackURI.file(path: path) else { return nil }
    self.uri = uri
    // Only other letters than those of ASCII have several forms.
    address = path.allSatisfy { $0 < 0x80 } ? uri : TrackURI.address(ofFile: path) ?? uri
    self.isFound = isFound
  }

  /// A file on another machine, as Windows writes it; `//?/` before a path only says that it may be long.
  private init?(share: String) {
    var path = share
    if path.prefix(8).uppercased() == "//?/UNC/" {
      path = "//" + path.dropFirst(8)
    } else if path.hasPrefix("//?/") || path.hasPrefix("//./") {
      self.init(path: Array(path.utf8.dropFirst(4)))
      return
    }
    let address = "file:" + path.replacing(scalar: "%", with: "%25")
    guard let uri = TrackURI.normalized(address) else { return nil }
    self.init(uri: uri, address: uri)
  }

  /// Without the quotes around it.
  private static func unquoted(_ text: String) -> String {
    for quote in ["\"", "'"] where text.count > 2 && text.hasPrefix(quote) && text.hasSuffix(quote)
    {
      let inner = String(text.dropFirst().dropLast())
      if !inner.contains(quote) { return inner }
    }
    return text
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

  // MARK: Titles

  /// `Artist - Title` taken apart; each is nil if it is not named.
  ///
  /// - Parameter artist: if another line names it: it may hold ` - `.
  static func parts(of text: String, artist: String?) -> (artist: String?, title: String) {
    if let artist, let title = title(of: text, by: artist) { return (artist, title) }
    if artist != nil { return (artist, text) }
    if text == "-" { return (nil, "") }
    if text.hasPrefix("- ") { return (nil, String(text.dropFirst(2)).trimmed()) }
    if text.hasSuffix(" -") { return (String(text.dropLast(2)).trimmed(), "") }
    guard let dash = text.firstRange(of: " - ") else { return (nil, text) }
    return (
      String(text[..<dash.lowerBound]).trimmed(), String(text[dash.upperBound...]).trimmed()
    )
  }

  /// The title after `artist - ` in a text; nil if it does not begin so.
  static func title(of text: String, by artist: String) -> String? {
    guard !artist.isEmpty, text.hasPrefix(artist) else { return nil }
    // There may be more white space than ` - ` has, where the artist ends in some; and none at the end of the line, where
    // the title is empty.
    let rest = text.dropFirst(artist.count)
    let dash = rest.drop(while: \.isWhitespace)
    guard dash.startIndex > rest.startIndex || artist.last?.isWhitespace == true else { return nil }
    if dash == "-" { return "" }
    return dash.hasPrefix("- ") ? String(dash.dropFirst(2)) : nil
  }
}
