import CatalogEngine

/// Reads the audio files of a folder.
enum AudioFolder {
  /// - Parameters:
  ///   - path: of the folder; absolute.
  ///   - typed: the folder as the caller named it, for errors and remarks.
  ///   - names: of the files below it.
  /// - Returns: the tracks, and the hash of their files' names: what is in the files is not read.
  static func read(
    _ path: String, typed: String, _ names: [[UInt8]], metadata: (any MetadataReader)?,
    progress: (Int, Int) -> Void
  ) throws(DocumentError) -> (content: Content, sha256: String) {
    var content = Content()
    var same: (count: Int, first: String) = (0, "")
    var seen: Set<String> = []
    for (place, name) in names.enumerated() {
      let bytes = Array("\(path)/".utf8) + name
      let file = "\(typed)/\(String(decoding: name, as: UTF8.self))"
      guard let uri = TrackURI.file(path: bytes), let address = TrackURI.address(ofFile: bytes)
      else {
        throw DocumentError(
          code: .invalidValue, file: file, message: "the name is not the name of a file",
          advice: "rename it")
      }
      if !seen.insert(TrackURI.key(of: uri)).inserted {
        same = (same.count + 1, same.count == 0 ? file : same.first)
      }
      var track = DocumentTrack(
        title: nil, fileURL: address, uri: uri, source: "local", place: file)
      track.isFound = true
      // No reader can be given a name that is not a text.
      if let text = String(validating: bytes, as: UTF8.self) {
        do {
          if let found = try metadata?.metadata(ofFile: text) {
            track.take(found, file, &content.remarks)
          }
        } catch {
          content.remarks.add(file, "its tags cannot be read: \(error)")
        }
      }
      content.tracks.append(track)
      progress(place + 1, names.count)
    }
    if names.isEmpty { content.remarks.add(typed, "there are no tracks") }
    if same.count > 0 {
      content.remarks.add(
        typed,
        (same.count == 1 ? "1 file has" : "\(same.count) files have")
          + " the name of another one in another form of Unicode; both are one track "
          + (same.count == 1 ? "(\(same.first))" : "(the first is \(same.first))"))
    }
    return (content, ContentHash.hex(of: names.flatMap { $0 + [UInt8(ascii: "\n")] }))
  }
}

extension DocumentTrack {
  /// What the file says of itself.
  fileprivate mutating func take(
    _ found: AudioMetadata, _ file: String, _ remarks: inout [DocumentRemark]
  ) {
    func text(_ text: String?, _ key: String) -> String? {
      guard let text, !TextRules.isBlank(text) else { return nil }
      do throws(DocumentError) {
        return try Text.verbatim(text, file: file, place: key)
      } catch {
        remarks.add(file, "the \(key) \(error.message); left out")
        return nil
      }
    }
    title = text(found.title, "title")
    artist = text(found.artist, "artist")
    album = text(found.album, "album")
    albumArtist = text(found.albumArtist, "album artist")
    genre = text(found.genre, "genre")
    func number(_ number: Int64?, _ noun: String) -> Int64? {
      guard let number, !(0...NumberRules.greatest ~= number) else { return number }
      remarks.add(file, "the \(noun) cannot be \(number); left out")
      return nil
    }
    year = number(found.year, "year")
    trackNumber = number(found.trackNumber, "track number")
    if let seconds = found.duration, seconds.isFinite, seconds > 0 { duration = seconds }
    if let text = found.isrc, !TextRules.isBlank(text) {
      isrc = SongID.isrc(text)
      if isrc == nil { remarks.add(file, "\"\(text)\" is not an ISRC; left out") }
    }
    take(picture: found.artwork, file, &remarks)
  }
}
