/// A codec of audio, with the extension that its files get. A pack may bring any; those of `all` are known, whatever case they are
/// written in.
///
/// Names of files come from here and from ids, never from an address or a header.
struct AudioCodec: Hashable, Sendable {
  let name: String
  let fileExtension: String

  static let all = [
    AudioCodec("aac", "aac"), AudioCodec("alac", "m4a"),
    AudioCodec("m4a", "m4a"), AudioCodec("mp3", "mp3"),
    AudioCodec("wav", "wav"), AudioCodec("pcm", "wav"),
    AudioCodec("aiff", "aiff"), AudioCodec("caf", "caf"),
    AudioCodec("flac", "flac"),
    AudioCodec("opus", "opus"),
    AudioCodec("vorbis", "ogg"), AudioCodec("ogg", "ogg"),
  ]

  private static let unknownExtension = "audio"

  /// The extensions that files of packs have.
  static let fileExtensions = Set(all.map(\.fileExtension) + [unknownExtension])

  init(_ text: String) {
    let name = text.lowercased()
    self = Self.all.first { $0.name == name } ?? AudioCodec(name, Self.unknownExtension)
  }

  private init(_ name: String, _ fileExtension: String) {
    self.name = name
    self.fileExtension = fileExtension
  }
}
