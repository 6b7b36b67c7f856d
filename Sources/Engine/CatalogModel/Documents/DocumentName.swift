/// Names of files as documents have them.
public enum DocumentName {
  /// The path without the ending of a compression: `mix.m3u8` of `mix.m3u8.gz`.
  public static func plain(_ path: String) -> String {
    for ending in [".gz", ".zst"] where path.lowercased().hasSuffix(ending) {
      return String(path.dropLast(ending.count))
    }
    return path
  }
}
