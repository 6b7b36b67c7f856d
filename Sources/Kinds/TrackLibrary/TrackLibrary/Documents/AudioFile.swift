/// Names of audio files.
public enum AudioFile {
  /// Endings of the formats that players on Apple's platforms know, in lower case.
  public static let formats: Set<String> = [
    "aac", "aif", "aifc", "aiff", "alac", "caf", "flac", "m4a", "m4b", "mp3", "oga", "ogg", "opus",
    "wav",
  ]

  /// Endings of sound that these players do not know.
  static let otherFormats: Set<String> = [
    "ac3", "amr", "ape", "au", "dff", "dsf", "dts", "mid", "midi", "mka", "mod", "mp2", "mpc", "ra",
    "shn", "spx", "tak", "tta", "voc", "w64", "weba", "wma", "wv", "xm",
  ]

  /// Whether a name has one of these endings, in any case. No file is opened.
  public static func isAudio(_ name: String) -> Bool {
    ending(of: name).map { formats.contains($0.lowercased()) } ?? false
  }

  /// A name without the ending of an audio format.
  public static func title(of name: String) -> String {
    guard let ending = ending(of: name), isAudio(name) else { return name }
    return String(name.dropLast(ending.count + 1))
  }

  /// The text after the last point of a name; nil if it has none, or begins with it.
  static func ending(of name: String) -> Substring? {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
    return name[name.index(after: dot)...]
  }
}
