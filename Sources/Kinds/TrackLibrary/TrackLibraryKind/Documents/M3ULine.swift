/// Lines of playlists that are written.
public enum M3ULine {
  /// The entry that means a URI: a path where that means the same, else the URI; nil if no line can mean it.
  public static func entry(of uri: String) -> String? {
    [TrackURI.path(ofFile: uri), uri].compactMap { $0 }.first { entry in
      // A path that looks as if it were percent-encoded would be read as another one.
      M3UText.isOneLine(entry) && entry.trimmed() == entry && !entry.hasPrefix("#")
        && M3UEntry.uri(entry, in: "/", { _ in false }) == uri
    }
  }
}
