extension Playlist {
  /// The playlist as an extended M3U8 file: UTF-8, a line feed after each line.
  ///
  /// Who imports it has the same playlist again, with the same tracks in the same order. Local files are written as paths
  /// where that means the same, as other players like it.
  ///
  /// - Throws: `PlaylistError` with `notWritable` for a track whose address no line can hold.
  public func m3u8() throws -> String {
    var lines = [
      "#EXTM3U", "#PLAYLIST:\(Self.line(name))",
      "#X-TRACK-LIBRARY-ID:\(id)",
    ]
    for track in tracks {
      guard let entry = M3ULine.entry(of: track.uri, at: track.fileURL) else {
        throw PlaylistError(
          .notWritable,
          "\"\(track.title)\" is at \(track.uri), which no line of a playlist can hold")
      }
      let artist = Self.line(track.artist)
      if !artist.isEmpty || M3ULine.isAmbiguous(title: Self.line(track.title)) {
        lines.append("#EXTART:\(artist)")
      }
      let album = Self.line(track.album)
      if !album.isEmpty { lines.append("#EXTALB:\(album)") }
      let title = Self.line(track.title)
      lines.append(
        "#EXTINF:\(Self.seconds(track.duration)),\(artist.isEmpty ? title : "\(artist) - \(title)")"
      )
      lines.append(entry)
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// -1 where nobody knows; whole seconds without a point, as most players read them.
  private static func seconds(_ duration: Double) -> String {
    if duration == 0 { return "-1" }
    return Int64(exactly: duration).map(String.init) ?? "\(duration)"
  }

  /// A text as part of one line.
  private static func line(_ text: String) -> String {
    String(text.map { $0.isNewline ? " " : $0 })
  }
}
