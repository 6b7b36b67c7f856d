import CatalogEngine

/// Tells by its bytes what a file is, whatever its name says: a server's page of an error may be called `mix.m3u`.
enum FileContent {
  case webPage
  case xml
  case json
  case pls
  /// UTF-16 without a byte order mark.
  case wide
  case binary

  /// - Parameter bytes: the whole file, without a byte order mark.
  /// - Returns: nil if it is any other text.
  init?(of bytes: [UInt8]) {
    // Text has neither zeros nor other controls, but for a damaged line or two.
    let head = bytes.prefix(Self.length)
    let controls = head.filter { $0 < 0x09 || 0x0E..<0x1B ~= $0 }
    if controls.count > 3, controls.count * 20 > head.count {
      self = Self.isWide(head) ? .wide : .binary
      return
    }
    let text = head.drop(while: Self.isSpace)
    let line = String(decoding: text.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
      .lowercased()
    guard let first = text.first, !AudioFile.isAudio(line.trimmed()) else { return nil }
    switch first {
    case UInt8(ascii: "["):
      if line.trimmed() == "[playlist]" {
        self = .pls
      } else {
        guard Self.begins(text, "{[\"]") else { return nil }
        self = .json
      }
    case UInt8(ascii: "{"):
      guard Self.begins(text, "\"}") else { return nil }
      self = .json
    case UInt8(ascii: "<"):
      if Self.elements.contains(where: line.hasPrefix), !line.contains("html") {
        self = .xml
      } else {
        guard line.contains("html") || bytes.last(where: { !Self.isSpace($0) }) == 0x3E else {
          return nil
        }
        self = .webPage
      }
    default: return nil
    }
  }

  /// The ending that a file of this content should have, of text that says what it is.
  ///
  /// - Parameter bytes: the whole file, without a byte order mark.
  /// - Returns: nil if the text does not say it, or is of no format that is read.
  static func ending(of bytes: [UInt8]) -> String? {
    let head = String(decoding: bytes.prefix(length), as: UTF8.self).lowercased()
    switch FileContent(of: bytes) {
    case .json: return "json"
    case .pls: return "pls"
    case .xml: return head.contains("<playlist") ? "xspf" : "xml"
    case .webPage, .wide, .binary: return nil
    case nil:
      let line = head.drop { $0.isWhitespace }.prefix { !$0.isNewline }
      if line.hasPrefix("#") { return "m3u" }
      return line.contains(",") ? "csv" : nil
    }
  }

  /// Names the content after "this is": `a web page`.
  var words: String {
    switch self {
    case .webPage: "a web page"
    case .xml: "a document in XML"
    case .json: "a document in JSON"
    case .pls: "a list in PLS"
    case .wide: "a text in UTF-16 without a byte order mark"
    case .binary: "not a text"
    }
  }

  /// How a person can have it imported.
  var advice: String {
    switch self {
    case .webPage: "save the document itself"
    case .xml: "give it the ending of its format: .xspf, or .xml for a library of iTunes"
    case .json: "give it the ending .json"
    case .pls: "give it the ending .pls"
    case .wide: "save it as UTF-8"
    case .binary: "name another file"
    }
  }

  /// The error of a file that should be something else.
  ///
  /// - Parameter wanted: `a list in M3U`.
  func refusal(_ file: String, _ wanted: String) -> DocumentError {
    DocumentError(
      code: .unsupportedFormat, file: file, message: "this is \(words), and not \(wanted)",
      advice: advice)
  }

  /// - Throws: `DocumentError` that says what a file is if it is not JSON, in which most documents are written.
  static func requireJSON(_ bytes: [UInt8], file: String) throws(DocumentError) {
    let ending = AudioFile.ending(of: DocumentName.plain(file))?.lowercased() ?? ""
    let text = try DocumentText.utf8(bytes, file: file)
    let content = FileContent(of: text)
    let words: String
    if let list = lists[ending] {
      words = list
    } else if let content, content != .json {
      words = content.words
    } else if ending == "json" || content == .json
      || "{[".utf8.contains(text.first { !isSpace($0) } ?? 0)
    {
      return
    } else {
      words = "not a document of tracks"
    }
    throw DocumentError(
      code: ending == "json" ? .invalidJSON : .unsupportedFormat, file: file,
      message: "this is \(words)",
      advice:
        "what can be read is library.json, the XML of iTunes, M3U, PLS, XSPF, CSV with a column of addresses, "
        + "and answers of Spotify and Apple Music in JSON")
  }

  /// The names of lists of other players, by their endings.
  private static let lists = [
    "wpl": "a list of Windows Media Player (WPL)", "zpl": "a list of Zune (ZPL)",
    "asx": "a list of Windows Media Player (ASX)", "wax": "a list of Windows Media Player (WAX)",
    "wvx": "a list of Windows Media Player (WVX)", "smil": "a presentation in SMIL",
    "b4s": "a list of Winamp (B4S)", "fpl": "a list of foobar2000 (FPL)",
    "mpcpl": "a list of Media Player Classic (MPCPL)", "aimppl": "a list of AIMP (AIMPPL)",
  ]

  // MARK: Bytes

  /// How many bytes are looked at.
  private static let length = 4_096

  private static let elements = [
    "<!doctype", "<?xml", "<?wpl", "<?zpl", "<playlist", "<smil", "<asx", "<plist",
  ]

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  /// Whether the first character after a bracket is one of these.
  private static func begins(_ text: ArraySlice<UInt8>, _ characters: String) -> Bool {
    text.dropFirst().first { !isSpace($0) }.map(characters.utf8.contains) ?? false
  }

  /// Whether nearly all zeros are at even places, or nearly all at odd ones, as in UTF-16 of most languages.
  private static func isWide(_ bytes: ArraySlice<UInt8>) -> Bool {
    let zeros = bytes.indices.filter { bytes[$0] == 0 }
    let even = zeros.count { $0.isMultiple(of: 2) }
    return zeros.count > 3 && max(even, zeros.count - even) * 10 > zeros.count * 9
  }
}
