import CatalogEngine

/// A file of a person's computer in an address of Spotify, which names all that Spotify knows of it:
/// `spotify:local:ARTIST:ALBUM:TITLE:SECONDS`, any of them empty.
struct SpotifyLocalFile {
  var artist: String?
  var album: String?
  var title: String?
  /// In seconds.
  var duration: Double?

  /// - Returns: nil if the URI is another one.
  init?(_ uri: String) {
    guard uri.hasPrefix("spotify:local:") else { return nil }
    let parts = uri.split(separator: ":", omittingEmptySubsequences: false).dropFirst(2).map(
      Self.text)
    guard parts.count == 4 else { return nil }
    (artist, album, title) = (parts[0], parts[1], parts[2])
    duration = parts[3].flatMap { Int64($0) }.flatMap { $0 > 0 ? Double($0) : nil }
  }

  /// A part without its encoding; nil if it is blank, or not a text.
  private static func text(_ part: Substring) -> String? {
    guard let bytes = URIText.unescaped(part.replacing("+", with: " ").utf8),
      let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0),
      !TextRules.isBlank(text)
    else { return nil }
    return NormalForm.nfc(text)
  }
}

extension DocumentTrack {
  /// Takes what the address of a local file of Spotify names, if the document does not.
  mutating func takeAddress() {
    guard let file = SpotifyLocalFile(uri) else { return }
    if title?.isEmpty ?? true { title = file.title }
    if artist?.isEmpty ?? true { artist = file.artist ?? artist }
    if album?.isEmpty ?? true { album = file.album ?? album }
    if duration ?? 0 == 0 { duration = file.duration ?? duration }
  }
}
