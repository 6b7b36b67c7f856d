import CatalogEngine

/// Addresses of tracks in the form by which duplicates are found: one place is spelled in one way.
public enum TrackURI {
  /// - Parameter text: `file:` in any of its spellings, a Spotify URI or address, an address of the web, or a URI of
  ///   another scheme.
  /// - Returns: the same for what has been normalised already; nil for what is not a URI.
  public static func normalized(_ text: String) -> String? {
    let text = NormalForm.nfc(text)
    guard !text.utf8.contains(0), let (scheme, rest) = parts(text), !rest.isEmpty else {
      return nil
    }
    switch scheme {
    case "file": return file(address: rest)
    case "spotify": return spotify(rest)
    case "http", "https": return web(scheme, rest)
    default: return "\(scheme):\(URIText.escaped(rest))"
    }
  }

  /// Reads an address as a `library.json` has it: a URI, or an absolute path.
  ///
  /// - Returns: the normalised URI; nil if the text is neither.
  static func uri(ofAddress text: String) -> String? { normalized(text) ?? file(path: text) }

  /// The URI of a file.
  ///
  /// - Parameter path: absolute, of POSIX (`/Music/a.mp3`) or of Windows (`G:\Music\a.mp3`).
  /// - Returns: nil for a relative path, and for one that no file can have.
  public static func file(path: String) -> String? { file(path: Array(path.utf8)) }

  /// The address of a file by the bytes of its path, which no normal form changes.
  ///
  /// - Parameter path: absolute.
  /// - Returns: nil if the path is relative, or no file can have it.
  static func address(ofFile path: [UInt8]) -> String? { file(path: path, isNormalised: false) }

  /// An address as a document writes it, if that can be kept in a text and is a URI; else the same place as a URI.
  static func address(_ text: String) -> String? {
    guard let (scheme, rest) = parts(text), scheme == "file" else { return text }
    let isKept = NormalForm.nfc(text).utf8.elementsEqual(text.utf8)
    if isKept, URIText.unescaped(rest.utf8) != nil { return text }
    return file(address: rest, isNormalised: false)
  }

  /// The text that URIs of one place have in common: of files of Windows, names are compared without case.
  public static func key(of uri: String) -> String {
    guard isOfWindows(uri), let bytes = URIText.unescaped(uri.utf8),
      let text = String(validating: bytes, as: UTF8.self)
    else { return uri }
    return NormalForm.nfc(text.lowercased())
  }

  /// Whether a normalised URI is that of a file on a drive or a share of Windows.
  public static func isOfWindows(_ uri: String) -> Bool {
    guard uri.utf8.starts(with: "file://".utf8) else { return false }
    // Each track is asked this: nothing is allocated.
    var rest = uri.utf8.dropFirst(7).makeIterator()
    guard rest.next() == UInt8(ascii: "/") else { return true }
    guard let letter = rest.next(), isLetter(letter), rest.next() == UInt8(ascii: ":") else {
      return false
    }
    let slash = rest.next()
    return slash == nil || slash == UInt8(ascii: "/") || slash == UInt8(ascii: "\\")
  }

  /// The path of a file; nil for what is not a file of this machine, or not in UTF-8.
  public static func path(ofFile uri: String) -> String? {
    guard uri.hasPrefix("file:///"), let bytes = URIText.unescaped(uri.dropFirst(7).utf8),
      let path = String(validating: bytes, as: UTF8.self)
    else { return nil }
    return isDrive(bytes.dropFirst()) ? String(path.dropFirst()) : path
  }

  /// What a track is called of which only its address is known: the last name of a file's path, without the ending of an
  /// audio format; another URI as it is.
  public static func name(of uri: String) -> String {
    let last = uri.split(separator: "/").last ?? uri[...]
    guard uri.hasPrefix("file:"), let bytes = URIText.unescaped(last.utf8) else { return uri }
    // Names that are not UTF-8 are older: those of most systems then were like this.
    return AudioFile.title(
      of: String(validating: bytes, as: UTF8.self) ?? DocumentText.windows1252(bytes[...]))
  }

  /// Who plays a URI: `local`, `spotify`, `apple-music`, `itunes`, `web`.
  public static func source(of uri: String) -> String {
    switch parts(uri)?.scheme {
    case "file": "local"
    case "spotify": "spotify"
    case "apple-music": "apple-music"
    case "itunes": "itunes"
    default: "web"
    }
  }

  /// A path that begins at a drive: `G:\…`.
  static func isDrivePath(_ text: String) -> Bool { isDrive(Array(text.utf8)[...]) }

  // MARK: Schemes

  /// - Returns: the scheme in lower case, and what follows its colon; nil if there is none. A single letter is a
  ///   drive of Windows.
  static func parts(_ text: String) -> (scheme: String, rest: Substring)? {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = text[..<colon].lowercased()
    guard scheme.utf8.count > 1, let first = scheme.utf8.first, isLetter(first),
      scheme.utf8.allSatisfy({
        isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || "+-.".utf8.contains($0)
      })
    else { return nil }
    return (scheme, text[text.utf8.index(after: colon)...])
  }

  // MARK: Files

  /// - Parameter isNormalised: whether names are in Unicode's normal form C.
  private static func file(address: Substring, isNormalised: Bool = true) -> String? {
    // By bytes: a mark after a slash makes another character of both.
    var rest = Array(address.utf8)[...]
    // `file:\\server\share`, as programs of Windows write it.
    if rest.first == UInt8(ascii: "\\") {
      rest = rest.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }[...]
    }
    let slashes = rest.prefix { $0 == UInt8(ascii: "/") }.count
    var host = ""
    // Four or five slashes begin a share, too (RFC 8089, appendix E.3.2).
    if slashes == 2 || slashes == 4 || slashes == 5 {
      let names = rest.dropFirst(slashes)
      let end = names.firstIndex { "/\\".utf8.contains($0) } ?? names.endIndex
      host = String(decoding: names[..<end], as: UTF8.self).lowercased()
      rest = names[end...]
      if isDrivePath(host + "/") {
        // `file://G:/Music`: the drive stands where the host should.
        rest = (Array("/\(host)".utf8) + rest)[...]
        host = ""
      }
    }
    let path = URIText.unescapedWherePossible(rest)
    guard let uri = file(path: path, isNormalised: isNormalised) else { return nil }
    guard !host.isEmpty, host != "localhost", host != "127.0.0.1" else { return uri }
    return "file://\(URIText.escaped(host))\(uri.dropFirst(7))"
  }

  /// - Parameter isNormalised: whether names are in Unicode's normal form C.
  static func file(path: [UInt8], isNormalised: Bool = true) -> String? {
    guard !path.contains(0) else { return nil }
    var path = isDrive(path[...]) ? [UInt8(ascii: "/")] + path : path
    guard path.first == UInt8(ascii: "/") else { return nil }
    path = URIText.withoutDots(path)
    if isDrive(path.dropFirst()) {
      path = path.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
      path = URIText.withoutDots(path)
    }
    if isDrive(path.dropFirst()), path[1] >= UInt8(ascii: "a") { path[1] -= 0x20 }
    if isNormalised, let text = String(validating: path, as: UTF8.self) {
      path = Array(NormalForm.nfc(text).utf8)
    }
    return "file://" + URIText.escaped(path: path)
  }

  /// A letter and a colon, and nothing or a slash of either kind after them.
  private static func isDrive(_ path: ArraySlice<UInt8>) -> Bool {
    let start = Array(path.prefix(3))
    guard start.count >= 2, isLetter(start[0]), start[1] == UInt8(ascii: ":") else { return false }
    return start.count == 2 || start[2] == UInt8(ascii: "/") || start[2] == UInt8(ascii: "\\")
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  // MARK: Services

  private static func spotify(_ rest: Substring) -> String? {
    let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count >= 2, !parts[0].isEmpty else { return nil }
    // A local file has its artist, album, title and length there, any of them empty.
    if parts[0].lowercased() == "local" {
      return "spotify:local:"
        + parts.dropFirst().map { URIText.escaped($0) }.joined(separator: ":")
    }
    guard parts.count == 2, !parts[1].isEmpty else { return "spotify:\(URIText.escaped(rest))" }
    return "spotify:\(parts[0].lowercased()):\(URIText.escaped(parts[1]))"
  }

  private static func web(_ scheme: String, _ rest: Substring) -> String? {
    guard rest.hasPrefix("//") else { return nil }
    var address = rest.dropFirst(2)
    if let fragment = address.firstIndex(of: "#") { address = address[..<fragment] }
    let end = address.firstIndex { $0 == "/" || $0 == "?" } ?? address.endIndex
    var host = URIText.escaped(address[..<end].lowercased())
    let port = scheme == "http" ? ":80" : ":443"
    if host.hasSuffix(port) { host = String(host.dropLast(port.count)) }
    guard !host.isEmpty else { return nil }
    let query = address[end...].firstIndex(of: "?") ?? address.endIndex
    var path = URIText.escaped(address[end..<query])
    if host == "open.spotify.com", let track = spotify(path: path) { return track }
    path = String(decoding: URIText.withoutDots(Array(path.utf8)), as: UTF8.self)
    return "\(scheme)://\(host)\(path.isEmpty ? "/" : path)\(URIText.escaped(address[query...]))"
  }

  /// `/track/ID`, with a language or `embed` before it.
  private static func spotify(path: String) -> String? {
    let names = path.split(separator: "/").drop { $0.hasPrefix("intl-") || $0 == "embed" }
    guard names.count == 2, let sort = names.first, let id = names.last,
      ["track", "episode"].contains(sort)
    else { return nil }
    return "spotify:\(sort):\(id)"
  }
}
