import CatalogModel
import CatalogStore
import CatalogTestSupport
import GRDB
import Projections
import Testing

/// The rows of generated histories, held against plain dictionaries that know only `docs/EVENTS.md`.
@Suite struct IndependentModelTests {
  /// What the events say so far.
  private struct Tag: Hashable {
    let dimension: TagDimension
    let id: Int64
  }

  private struct Model {
    var items: [EntityID: ItemUpserted] = [:]
    var born: [EntityID: Timestamp] = [:]
    var updated: [EntityID: Timestamp] = [:]
    var hidden: Set<EntityID> = []
    var values: [TagDimension: [Int64: DimensionValueAdded]] = [:]
    var aliases: [TagDimension: [String: Int64]] = [:]
    var given: [EntityID: [String: Set<Tag>]] = [:]
    var suppressed: [EntityID: Set<Tag>] = [:]
    var playlists: [EntityID: PlaylistLinked] = [:]
    var packs: [EntityID: PackUpserted] = [:]
    var members: [EntityID: [EntityID]] = [:]

    mutating func apply(_ record: EventRecord) {
      switch record.event {
      case .catalogCreated, .seedImported: break
      case .dimensionValueAdded(let event): values[event.dimension, default: [:]][event.id] = event
      case .dimensionValueOrdered(let event):
        values[event.dimension]?[event.id]?.sortOrder = event.sortOrder
        values[event.dimension]?[event.id]?.isSystem = true
      case .dimensionValueRenamed(let event):
        values[event.dimension]?[event.id]?.name = event.newName
        aliases[event.dimension]?[event.newName] = nil
        aliases[event.dimension, default: [:]][event.name] = event.id
      case .dimensionValueMerged(let event): merge(event)
      case .dimensionValueAliased(let event):
        aliases[event.dimension, default: [:]][event.alias] = event.id
      case .itemUpserted(let event):
        if items[event.id] != event { updated[event.id] = record.at }
        if items[event.id] == nil { born[event.id] = record.at }
        items[event.id] = event
      case .itemVisibilityChanged(let event):
        if hidden.contains(event.id) == event.isVisible { updated[event.id] = record.at }
        if event.isVisible { hidden.remove(event.id) } else { hidden.insert(event.id) }
      case .itemTagsSet(let event):
        var tags: Set<Tag> = []
        event.tags.forEachValue { tags.insert(tag($0, $1)) }
        given[event.item, default: [:]][event.source] = tags
        if event.source != "person" {
          for tag in tags { values[tag.dimension]?[tag.id]?.isSystem = true }
        }
      case .itemTagSuppressed(let event):
        suppressed[event.item, default: []].insert(tag(event.dimension, event.name))
      case .itemTagUnsuppressed(let event):
        suppressed[event.item, default: []].remove(tag(event.dimension, event.name))
      case .playlistLinked(let event): playlists[event.item] = event
      case .packUpserted(var event):
        event.version = max(event.version, packs[event.id]?.version ?? 0)
        packs[event.id] = event
      case .packItemsSet(let event): members[event.pack] = event.items
      }
    }

    func tag(_ dimension: TagDimension, _ name: String) -> Tag {
      let named = values[dimension]?.first { $0.value.name == name }?.key
      return Tag(dimension: dimension, id: named ?? aliases[dimension]?[name] ?? -1)
    }

    func shown(_ item: EntityID) -> Set<Tag> {
      (given[item] ?? [:]).values.reduce(into: Set()) { $0.formUnion($1) }
        .subtracting(suppressed[item] ?? [])
    }

    mutating func merge(_ event: DimensionValueMerged) {
      let lost = Tag(dimension: event.dimension, id: event.id)
      let into = Tag(dimension: event.dimension, id: event.into)
      for item in items.keys {
        let showed = !shown(item).isDisjoint(with: [lost, into])
        let wasSuppressed = !(suppressed[item] ?? []).isDisjoint(with: [lost, into])
        for (source, tags) in given[item] ?? [:] where tags.contains(lost) {
          given[item]?[source] = tags.subtracting([lost]).union([into])
        }
        suppressed[item]?.subtract([lost, into])
        if wasSuppressed, !showed { suppressed[item, default: []].insert(into) }
      }
      let old = values[event.dimension]?.removeValue(forKey: event.id)
      if old?.isSystem == true { values[event.dimension]?[event.into]?.isSystem = true }
      if values[event.dimension]?[event.into]?.sortOrder == nil {
        values[event.dimension]?[event.into]?.sortOrder = old?.sortOrder
      }
      for (name, id) in aliases[event.dimension] ?? [:] where id == event.id {
        aliases[event.dimension]?[name] = event.into
      }
      aliases[event.dimension, default: [:]][event.name] = event.into
    }

    var itemRows: [String] {
      items.map { id, item in
        text([
          id, item.kind.rawValue, item.title, item.subtitle, item.duration, item.artworkURL,
          hidden.contains(id) ? 0 : 1, born[id], updated[id],
        ])
      }
    }

    func tagRows(of dimension: TagDimension) -> [String] {
      given.keys.flatMap { item in
        shown(item).filter { $0.dimension == dimension }.map { tag in
          text([item, values[dimension]?[tag.id]?.name])
        }
      }
    }

    func valueRows(of dimension: TagDimension) -> [String] {
      (values[dimension] ?? [:]).map { id, value in
        text([id, value.name, value.sortOrder, value.isSystem ? 1 : 0])
      }
    }

    var memberRows: [String] {
      members.flatMap { pack, items in
        items.enumerated().map { text([pack, $1, $0]) }
      }
    }

    var packRows: [String] {
      packs.map { id, pack in
        text([id, pack.kind.rawValue, pack.title, pack.description, pack.version, "not_downloaded"])
      }
    }

    private func text(_ values: [(any CustomStringConvertible)?]) -> String {
      values.map { $0.map(\.description) ?? "~" }.joined(separator: "|")
    }
  }

  @Test(arguments: (201...208).map { UInt64($0) })
  func rowsAreWhatTheEventsSay(seed: UInt64) throws {
    let folder = try ScratchFolder()
    var generator = HistoryGenerator(seed: seed)
    var model = Model()
    let database = try ProjectionDatabase(path: folder.file("a.sqlite"))
    defer { try? database.close() }
    try database.createTables()
    for batch in generator.batches(90) {
      for record in batch { model.apply(record) }
      try database.update { _, store in
        for record in batch { try SoundLibraryProjector().apply(record, to: store) }
        return Checkpoint(logID: "", sequence: 1, chain: "", fingerprint: "")
      }
    }
    try database.pool.read { database in
      func expect(_ expected: [String], _ sql: String) throws {
        let rows = try Row.fetchAll(database, sql: sql).map { row in
          row.databaseValues.map { value in
            switch value.storage {
            case .null: "~"
            case .int64(let number): "\(number)"
            case .double(let number): "\(number)"
            case .string(let text): text
            case .blob: "blob"
            }
          }.joined(separator: "|")
        }
        #expect(rows.sorted() == expected.sorted(), "seed \(seed): \(sql)")
      }
      try expect(model.itemRows, "SELECT * FROM library_item")
      try expect(model.memberRows, "SELECT * FROM pack_item")
      try expect(
        model.packRows,
        """
        SELECT id, kind, title, description, version, state FROM pack
        JOIN pack_state ON pack_id = id
        """)
      try expect(
        model.playlists.values.map { "\($0.item)|\($0.playlistID)|~|\($0.useSnapshot ? 1 : 0)" },
        "SELECT * FROM music_playlist_ref")
      for dimension in TagDimension.all {
        let table = dimension.table
        try expect(
          model.valueRows(of: dimension), "SELECT id, name, sort_order, is_system FROM \(table)")
        try expect(
          model.tagRows(of: dimension),
          """
          SELECT item_id, name FROM \(dimension.joinTable)
          JOIN \(table) ON \(table).id = \(dimension.joinColumn)
          """)
      }
    }
  }
}
