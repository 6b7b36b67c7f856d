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

  /// A name has at most 64 ASCII letters, digits, spaces and `._+-`, and begins with a letter
  /// or a digit: a signed address that is here by mistake must not get into the log. Nil if the text is none.
  init?(_ text: String) {
    guard text.utf8.first?.isASCIIAlphanumeric == true, text.utf8.count <= 64,
      text.utf8.allSatisfy({ $0.isASCIIAlphanumeric || " ._+-".utf8.contains($0) })
    else { return nil }
    let name = text.lowercased()
    self = Self.all.first { $0.name == name } ?? AudioCodec(name, Self.unknownExtension)
  }

  private init(_ name: String, _ fileExtension: String) {
    self.name = name
    self.fileExtension = fileExtension
  }
}
