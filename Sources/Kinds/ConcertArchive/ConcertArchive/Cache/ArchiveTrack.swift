import CatalogModel

/// A file of a recording that can be played.
public struct ArchiveTrack: Hashable, Sendable {
  /// The file's name: `gd77-05-08d1t01.flac`.
  public var name: String
  /// The title of the file, or of the file that it was made from; nil if neither has one.
  public var title: String?
  /// As the archive numbers it: `1`, `01`, `1/20`.
  public var track: String?
  /// `Flac`, `VBR MP3`.
  public var format: String?
  /// As the archive writes it: seconds, or `4:32`.
  public var length: String?

  private static let endings = ["flac", "mp3", "ogg", "shn", "m4a", "wav", "aif", "aiff"]

  /// - Returns: nil for a file that is not music.
  init?(_ file: JSONValue) {
    func text(_ key: String) -> String? {
      switch file[key] {
      case .string(let text): text
      case .number(let text): text
      default: nil
      }
    }
    guard let name = text("name"),
      let ending = name.lowercased().split(separator: ".").last,
      Self.endings.contains(String(ending))
    else { return nil }
    self.name = name
    title = text("title").flatMap { TextRules.isBlank($0) ? nil : $0 }
    track = text("track")
    format = text("format")
    length = text("length")
  }

  var json: JSONValue {
    let members = [
      ("name", name), ("title", title), ("track", track), ("format", format), ("length", length),
    ]
    return .object(
      members.compactMap { key, value in
        value.map { JSONValue.Member(key: key, value: .string($0)) }
      })
  }

  /// The tracks among the files of an answer.
  static func all(of files: [JSONValue]) -> [ArchiveTrack] {
    func name(_ file: JSONValue, _ key: String) -> String? {
      if case .string(let name)? = file[key] { name } else { nil }
    }
    let titles = Dictionary(
      files.compactMap { file in ArchiveTrack(file).map { ($0.name, $0.title) } },
      uniquingKeysWith: { first, _ in first })
    return files.compactMap { file in
      guard var track = ArchiveTrack(file) else { return nil }
      track.title = track.title ?? name(file, "original").flatMap { titles[$0] ?? nil }
      return track
    }
  }

  /// The tracks of a document of the cache.
  static func all(in bytes: [UInt8]) throws -> [ArchiveTrack] {
    guard case .array(let files)? = try? JSONValue.parse(bytes) else { return [] }
    return files.compactMap(ArchiveTrack.init)
  }
}
