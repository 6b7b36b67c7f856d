public import CatalogEngine

/// Lists and changes tags, and says which songs have them.
public struct TagEditor: Sendable {
  let catalog: EventCatalog<TrackLibraryKind>

  /// What a person's tags are from; an analysis has a name of its own.
  public static let person = "person"

  // MARK: Reading

  /// All tags by name, with the number of songs that have each.
  public func list() async throws -> [TagLine] {
    let known = try await catalog.read { rows in
      try rows.rows(
        as: TagLine.shape,
        of: """
          SELECT id, name, hex_color, is_system_tag,
            (SELECT count(*) FROM song_tag WHERE tag_id = tag.id) FROM tag
          """)
    }
    let missing = SystemTags.all.filter { tag in !known.contains { $0.id == tag.id } }
    return (known + missing.map { TagLine($0) }).sorted {
      $0.name == $1.name ? $0.id < $1.id : $0.name < $1.name
    }
  }

  /// The tags of a song, by name; from one source, or from all.
  ///
  /// - Throws: `TagError` with `songNotFound`.
  public func tags(of song: String, from source: String? = nil) async throws -> [LibraryTag] {
    let asWritten = song
    let song = SongID.normalized(song) ?? song
    return try await catalog.read { rows in
      let id = try rows.row(of: SongAlias.table, key: song)?.songID ?? song
      guard try rows.row(of: Song.table, key: id) != nil else {
        throw Self.noSong(asWritten)
      }
      let table = source == nil ? "song_tag" : "projection_song_tag_source"
      return try rows.rows(
        as: LibraryTag.table,
        of: """
          SELECT id, name, hex_color, is_system_tag FROM \(table) JOIN tag ON tag.id = tag_id
          WHERE song_id = ?\(source == nil ? "" : " AND source = ?") ORDER BY name
          """, [id] + [source].compactMap { $0 })
    }
  }

  // MARK: Tags

  /// Adds a tag.
  ///
  /// - Parameter hexColor: six hex digits after `#`.
  /// - Throws: `TagError` with `nameRefused`, `nameTaken`, `colorRefused`.
  @discardableResult
  public func add(_ name: String, hexColor: String = "#8E8E93") async throws -> ChangeReport {
    let name = try Self.name(name)
    let hexColor = try Self.color(hexColor)
    return try await change { tags in
      try tags.requireFree(name)
      // Two devices that add the same name add the same tag; a tag that has another name now has kept its id.
      var id = NameBasedID.tag(name)
      while tags.all[id] != nil { id = NameBasedID.tag("\(id)\n\(name)") }
      return [
        .tagAdded(LibraryTag(id: id, name: name, hexColor: hexColor, isSystemTag: false))
      ]
    }
  }

  /// Gives a tag another name, another colour, or both.
  ///
  /// - Throws: `TagError` with `notFound`, `systemTag`, `nameRefused`, `nameTaken`, `colorRefused`.
  @discardableResult
  public func change(
    _ name: String, to newName: String? = nil, hexColor: String? = nil
  ) async throws -> ChangeReport {
    let newName = try newName.map(Self.name)
    let hexColor = try hexColor.map(Self.color)
    return try await change { tags in
      let tag = try tags.own(name)
      let wanted = newName ?? tag.name
      if wanted != tag.name { try tags.requireFree(wanted) }
      guard wanted != tag.name || hexColor != nil && hexColor != tag.hexColor else { return [] }
      return [.tagChanged(tag.id, name: wanted, hexColor: hexColor ?? tag.hexColor)]
    }
  }

  /// Removes a tag, also from all songs.
  ///
  /// - Throws: `TagError` with `notFound`, `systemTag`.
  @discardableResult
  public func remove(_ name: String) async throws -> ChangeReport {
    try await change { tags in [.tagRemoved(try tags.own(name).id)] }
  }

  // MARK: Songs

  /// Says all tags that one source gives a song. What other sources give stays.
  ///
  /// - Parameters:
  ///   - song: its ISRC, its Apple Music id, or another name of it.
  ///   - source: who says so: a person, an analysis.
  /// - Throws: `TagError` with `songNotFound`, `notFound`, `nameRefused` for the source.
  @discardableResult
  public func set(
    _ names: [String], of song: String, from source: String = TagEditor.person
  ) async throws -> ChangeReport {
    let source = try Self.name(source)
    let asWritten = song
    let song = SongID.normalized(song) ?? song
    return try await catalog.change(by: source == Self.person ? "person" : "analysis") { rows in
      let tags = try TagPlan(rows)
      let id = try rows.songID(of: song)
      guard let known = try rows.row(of: Song.table, key: id), known.syncStatus != .pendingDelete
      else { throw Self.noSong(asWritten) }
      let wanted = Set(try names.map { try tags.tag($0).id })
      let old = try rows.rows(of: SourceTagging.table, where: \.songID, is: id)
        .filter { $0.source == source }.map(\.tagID)
      guard Set(old) != wanted else { return [] }
      return tags.missing + [.songTagsSet(song: id, source: source, tags: wanted.sorted())]
    }
  }

  // MARK: Rules

  private func change(
    _ body: @escaping @Sendable (TagPlan) throws -> [TrackEvent]
  ) async throws -> ChangeReport {
    try await catalog.change(by: "person") { rows in
      let tags = try TagPlan(rows)
      let events = try body(tags)
      return events.isEmpty ? [] : tags.missing + events
    }
  }

  private static func noSong(_ song: String) -> TagError {
    TagError(.songNotFound, "there is no song \(JSONExcerpt.printable(song))")
  }

  private static func name(_ text: String) throws(TagError) -> String {
    try TextRules.apply(TextRules.tagName, to: text) {
      TagError(.nameRefused, $0.sentence(of: text))
    }
  }

  private static func color(_ text: String) throws(TagError) -> String {
    guard let color = hexColor(text) else {
      throw TagError(
        .colorRefused, "\"\(JSONExcerpt.printable(text))\" is not a colour; write it as #FF8800")
    }
    return color
  }

  /// A colour in the form in which it is kept: `#FF8800`; nil if the text is none.
  static func hexColor(_ text: String) -> String? {
    let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
    guard digits.utf8.count == 6, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
      return nil
    }
    return "#" + digits.uppercased()
  }
}

/// The tags of a library, and the events that add the system's where they are missing.
struct TagPlan {
  let all: [EntityID: LibraryTag]
  let missing: [TrackEvent]

  init(_ rows: ProvedRows) throws {
    let known = try rows.rows(of: LibraryTag.table)
    let system = SystemTags.all.filter { tag in !known.contains { $0.id == tag.id } }
    all = Dictionary((known + system).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    missing = system.map { .tagAdded($0) }
  }

  /// The tag of a name.
  func tag(_ name: String) throws -> LibraryTag {
    let wanted = try? TextRules.tagName(name)
    guard let tag = all.values.first(where: { $0.name == wanted }) else {
      let near = NearMiss.find(name, among: all.values.map(\.name).sorted())
      throw TagError(
        .notFound,
        "there is no tag \"\(JSONExcerpt.printable(name))\""
          + (near.map { "; did you mean \"\($0)\"?" } ?? ""))
    }
    return tag
  }

  /// The same, where a person may change it.
  func own(_ name: String) throws -> LibraryTag {
    let tag = try tag(name)
    guard !tag.isSystemTag else {
      throw TagError(.systemTag, "\"\(tag.name)\" is a system tag: nobody renames or removes it")
    }
    return tag
  }

  func requireFree(_ name: String) throws {
    guard let other = all.values.first(where: { $0.name == name }) else { return }
    throw TagError(.nameTaken, "there is a tag \"\(other.name)\" already")
  }
}
