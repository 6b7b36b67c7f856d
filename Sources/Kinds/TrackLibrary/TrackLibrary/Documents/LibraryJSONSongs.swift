import CatalogEngine

/// Reads the tags and the songs of a `library.json`.
struct LibraryJSONSongs {
  private enum TagKey: String, CaseIterable {
    case id, name, hexColor
  }

  private enum SongKey: String, CaseIterable {
    case id, otherIDs, title, artist, artworkURL, tags
  }

  private enum TaggingKey: String, CaseIterable {
    case source, names
  }

  private static let tagKeys = JSONKeyTable<TagKey>(required: [.id, .name, .hexColor])
  private static let songKeys = JSONKeyTable<SongKey>(required: [.id, .title])
  private static let taggingKeys = JSONKeyTable<TaggingKey>(required: [.source, .names])

  private var ids: Set<EntityID> = []
  /// Those that every library has, and those that the document lists.
  private var names = Set(SystemTags.all.map(\.name))
  private var songIDs: Set<String> = []

  mutating func tags(_ document: inout DocumentReader) -> [DocumentTag] {
    document.list { tag(&$0) }
  }

  private mutating func tag(_ document: inout DocumentReader) -> DocumentTag? {
    var id: EntityID?
    var name: String?
    var hexColor: String?
    guard var object = document.object() else { return nil }
    while let key = document.next(in: &object, Self.tagKeys) {
      switch key {
      case .id: id = document.id(unique: &ids, of: "tag")
      case .name:
        let start = document.nextOffset
        name = document.text(TextRules.tagName)
        if let name, !names.insert(name).inserted {
          document.note(
            .duplicateValue, at: start, "is the name of another tag",
            advice: "give each tag its own name; Favorites and Recent are in every library")
        }
      case .hexColor:
        hexColor = document.text(
          as: TagEditor.hexColor, "is not a colour", advice: "write it as #FF8800")
      }
    }
    guard let id, let name, let hexColor else { return nil }
    return DocumentTag(id: id, name: name, hexColor: hexColor)
  }

  mutating func songs(_ document: inout DocumentReader) -> [DocumentSong] {
    document.list { song(&$0) }
  }

  private mutating func song(_ document: inout DocumentReader) -> DocumentSong? {
    var song = DocumentSong(id: "", title: "")
    guard var object = document.object() else { return nil }
    while let key = document.next(in: &object, Self.songKeys) {
      switch key {
      case .id: song.id = id(&document) ?? ""
      case .otherIDs: song.otherIDs = document.list { id(&$0) }
      case .title: song.title = document.text(TextRules.verbatim) ?? ""
      case .artist: song.artist = document.text(TextRules.verbatim) ?? ""
      case .artworkURL: song.artworkURL = document.text(TextRules.verbatim)
      case .tags:
        for (source, names) in document.list({ tagging(&$0) }) {
          song.tags[source, default: []] += names
        }
      }
    }
    return song.id.isEmpty ? nil : song
  }

  private mutating func id(_ document: inout DocumentReader) -> String? {
    let start = document.nextOffset
    let id = document.text(
      as: SongID.normalized, "is not the id of a song",
      advice: "write an ISRC as QMFM11100001, or the digits of Apple Music's id")
    guard let id else { return nil }
    guard songIDs.insert(id).inserted else {
      document.note(
        .duplicateValue, at: start, "is an id of another song", advice: "name each song once")
      return nil
    }
    return id
  }

  private func tagging(_ document: inout DocumentReader) -> (source: String, names: [String])? {
    var source: String?
    var names: [String] = []
    guard var object = document.object() else { return nil }
    while let key = document.next(in: &object, Self.taggingKeys) {
      switch key {
      case .source: source = document.text(TextRules.tagName)
      case .names: names = document.list { name(&$0) }
      }
    }
    return source.map { ($0, names) }
  }

  private func name(_ document: inout DocumentReader) -> String? {
    let start = document.nextOffset
    guard let name = document.text(TextRules.tagName) else { return nil }
    guard names.contains(name) else {
      document.note(
        .invalidValue, at: start, "is not a tag of the document", advice: "list it in $.tags")
      return nil
    }
    return name
  }
}

extension DocumentReader {
  /// Reads a text in the form in which the library keeps it.
  ///
  /// - Parameters:
  ///   - form: the form of a text; nil if it is refused.
  ///   - message: what is wrong with a text that is not in this form.
  mutating func text(
    as form: (String) -> String?, _ message: String, advice: String
  ) -> String? {
    let start = nextOffset
    guard let text = string() else { return nil }
    guard form(text).map({ $0.utf8.elementsEqual(text.utf8) }) ?? false else {
      note(.invalidValue, at: start, message, advice: advice)
      return nil
    }
    return text
  }
}
