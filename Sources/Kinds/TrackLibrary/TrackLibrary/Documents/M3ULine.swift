import CatalogEngine

/// Lines of playlists that are written.
public enum M3ULine {
  /// Whether a title that is alone in a line would be read as an artist and a title.
  public static func isAmbiguous(title: String) -> Bool {
    M3UEntry.parts(of: title.trimmed(), artist: nil) != (nil, title.trimmed())
  }

  /// The entry that means a track: a path where that means the same, else the URI; nil if no line can mean it.
  ///
  /// - Parameters:
  ///   - uri: normalised.
  ///   - address: the address at which it plays. A file is named as there, if that is the same place.
  public static func entry(of uri: String, at address: String) -> String? {
    let isSame = TrackURI.normalized(address) == uri
    let path = (isSame ? TrackURI.path(ofFile: address) : nil) ?? TrackURI.path(ofFile: uri)
    return [path, uri].compactMap { $0 }.first { entry in
      // A path that looks as if it were percent-encoded would be read as another one.
      DocumentText.isOneLine(entry) && entry.trimmed() == entry && !entry.hasPrefix("#")
        && M3UEntry(entry, in: "/", nil)?.uri == uri
    }
  }
}
