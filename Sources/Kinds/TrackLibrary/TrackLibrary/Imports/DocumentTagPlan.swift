import CatalogEngine

/// The tags of documents, and the events that give them to songs.
struct DocumentTagPlan {
  private(set) var events: [TrackEvent] = []
  private let rows: ProvedRows
  private let missing: [TrackEvent]
  /// The tags of the library and those that were added, by their ids.
  private var all: [EntityID: LibraryTag]
  private var planned: [Tagger: Set<EntityID>] = [:]

  /// A source of tags of a song.
  private struct Tagger: Hashable {
    let song: String
    let source: String
  }

  init(_ rows: ProvedRows) throws {
    self.rows = rows
    let tags = try TagPlan(rows)
    (all, missing) = (tags.all, tags.missing)
  }

  /// Adds a tag. One of this name that the library has stays as it is.
  mutating func add(_ tag: DocumentTag) {
    guard self.tag(tag.name) == nil else { return }
    var id = tag.id
    while all[id] != nil { id = NameBasedID.tag("\(id)\n\(tag.name)") }
    change(
      to: .tagAdded(
        LibraryTag(id: id, name: tag.name, hexColor: tag.hexColor, isSystemTag: false)))
    all[id] = LibraryTag(id: id, name: tag.name, hexColor: tag.hexColor, isSystemTag: false)
  }

  /// Gives a song the tags of each source that a document names.
  ///
  /// - Parameter song: its own id, with the events before.
  mutating func set(_ tags: [String: [String]], of song: String) throws {
    for (source, names) in tags.sorted(by: { $0.key < $1.key }) {
      let wanted = Set(names.compactMap { tag($0)?.id })
      let tagger = Tagger(song: song, source: source)
      let known =
        try planned[tagger]
        ?? Set(
          rows.rows(of: SourceTagging.table, where: \.songID, is: song)
            .filter { $0.source == source }.map(\.tagID))
      guard wanted != known else { continue }
      change(to: .songTagsSet(song: song, source: source, tags: wanted.sorted()))
      planned[tagger] = wanted
    }
  }

  private func tag(_ name: String) -> LibraryTag? {
    all.values.first { $0.name.utf8.elementsEqual(name.utf8) }
  }

  private mutating func change(to event: TrackEvent) {
    if events.isEmpty { events += missing }
    events.append(event)
  }
}
