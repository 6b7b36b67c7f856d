/// A codec that packs may bring, with the extension that its files get.
///
/// Names of files come from here and from ids, never from an address or a header.
package struct AudioCodec: Hashable, Sendable {
  package let name: String
  package let fileExtension: String

  package static let all = [
    AudioCodec(name: "aac", fileExtension: "aac"), AudioCodec(name: "alac", fileExtension: "m4a"),
    AudioCodec(name: "m4a", fileExtension: "m4a"), AudioCodec(name: "mp3", fileExtension: "mp3"),
    AudioCodec(name: "wav", fileExtension: "wav"), AudioCodec(name: "pcm", fileExtension: "wav"),
    AudioCodec(name: "aiff", fileExtension: "aiff"), AudioCodec(name: "caf", fileExtension: "caf"),
    AudioCodec(name: "flac", fileExtension: "flac"),
    AudioCodec(name: "opus", fileExtension: "opus"),
    AudioCodec(name: "vorbis", fileExtension: "ogg"), AudioCodec(name: "ogg", fileExtension: "ogg"),
  ]

  package static func named(_ name: String) -> AudioCodec? {
    all.first { $0.name == name }
  }
}
