import CatalogEngine

/// The order of names in the lines of a list: iTunes and Music write `Title - Artist`, all others `Artist - Title`.
///
/// No line tells alone. The paths of the whole list do: folders are called by artists, and files by titles.
struct TitleOrder {
  /// How many entries have each order by their paths.
  private(set) var titleFirst = 0
  private(set) var artistFirst = 0

  var isTitleFirst: Bool { titleFirst > artistFirst }

  /// Looks at an entry.
  ///
  /// - Parameters:
  ///   - text: of its `#EXTINF`.
  ///   - uri: normalised.
  mutating func note(_ text: String, _ uri: String) {
    guard let place = Place(uri) else { return }
    let halves = Self.halves(of: text)
    if halves.contains(where: { place.hasFolder($0.first) }) {
      artistFirst += 1
    } else if halves.contains(where: {
      place.isFile($0.first, besides: $0.second) && place.hasFolder($0.second)
    }) {
      titleFirst += 1
    }
  }

  /// The artist and the title of a line whose title comes first; nil if it has one of them only. Of several dashes, that
  /// counts after which a folder's name follows, else the last.
  static func parts(of text: String, _ uri: String) -> (artist: String, title: String)? {
    let halves = halves(of: text)
    let place = Place(uri)
    guard let found = halves.last(where: { place?.hasFolder($0.second) ?? false }) ?? halves.last
    else { return nil }
    return (found.second, found.first)
  }

  /// A text parted at each of its dashes.
  private static func halves(of text: String) -> [(first: String, second: String)] {
    text.ranges(of: " - ").map {
      (String(text[..<$0.lowerBound]).trimmed(), String(text[$0.upperBound...]).trimmed())
    }.filter { !$0.0.isEmpty && !$0.1.isEmpty }
  }

  /// The words of a path.
  private struct Place {
    let folders: [String]
    /// The file's name, and the same without the number of the track.
    let names: [String]

    /// - Returns: nil if it is not the URI of a file.
    init?(_ uri: String) {
      guard uri.hasPrefix("file:"), let bytes = URIText.unescaped(uri.utf8) else { return nil }
      var parts = String(decoding: bytes, as: UTF8.self).split(separator: "/").map(String.init)
      guard parts.count > 2, let file = parts.popLast() else { return nil }
      // The artist and the album are near the file; other folders are called by what is in them.
      folders = parts.dropFirst().suffix(3).map { SearchText($0).words }
        .filter { !$0.isEmpty && !["music", "media", "itunes"].contains($0) }
      let name = SearchText(AudioFile.title(of: file)).words
      let unnumbered = name.split(separator: " ").drop { $0.allSatisfy(\.isNumber) }
      names = Array(Set([name, unnumbered.joined(separator: " ")])).filter { !$0.isEmpty }
    }

    func hasFolder(_ text: String) -> Bool {
      let words = SearchText(text).words
      return !words.isEmpty && folders.contains { Self.begins(words, $0) }
    }

    /// Whether the file is called by a text, and not by both texts.
    func isFile(_ text: String, besides other: String) -> Bool {
      let (words, others) = (SearchText(text).words, SearchText(other).words)
      guard !words.isEmpty else { return false }
      return names.contains {
        Self.begins($0, words) && !$0.dropFirst(words.count).contains(others)
      }
    }

    /// Whether two names are the same, one is the other with more words, or one was cut: file systems limit names.
    private static func begins(_ left: String, _ right: String) -> Bool {
      let (short, long) = left.utf8.count < right.utf8.count ? (left, right) : (right, left)
      return long == short || long.hasPrefix(short + " ")
        || short.utf8.count >= 12 && long.hasPrefix(short)
    }
  }
}
