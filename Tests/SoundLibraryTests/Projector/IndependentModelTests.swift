import CatalogModel
import CatalogStore
import CatalogTestSupport
import GRDB
import Projections
import Promises
import SoundLibraryTestSupport
import Testing

@testable import SoundLibrary

/// The rows of generated histories, held against plain dictionaries that know only `docs/EVENTS.md`.
@Suite(
  .promise(
    "Each event of a sound library changes its rows as the page of the events says",
    by: "generated histories, compared with plain dictionaries"),
  .promise(
    "What a server reports of a playlist is in the log with its history, the newest list "
      + "is shown, and a rebuild has the same rows"))
struct IndependentModelTests {
  @Test(arguments: (201...208).map { UInt64($0) })
  func rowsAreWhatTheEventsSay(seed: UInt64) throws {
    let folder = try ScratchFolder()
    var generator = HistoryGenerator(seed: seed)
    var model = LibraryModel()
    let database = try ProjectionDatabase(path: folder.file("a.sqlite"), migrations: .soundLibrary)
    defer { try? database.close() }
    try database.createTables()
    for batch in generator.batches(90) {
      for record in batch { model.apply(record) }
      try database.update { _, store in
        for record in batch { try SoundLibraryProjector().applyWithoutConflict(record, to: store) }
        return ProjectionAdvance(Checkpoint.made())
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
        model.suppressionRows,
        """
        SELECT item_id, dimension, value_id FROM projection_suppression
        JOIN projection_item ON number = item_number
        """)
      try expect(
        model.aliasRows, "SELECT dimension, name, value_id FROM projection_alias")
      try expect(
        model.mergedRows,
        "SELECT dimension, value_id, merged_into FROM projection_value WHERE merged_into > 0")
      try expect(model.kindRows, "SELECT * FROM projection_kind")
      try expect(
        model.packRows,
        """
        SELECT id, kind, title, description, version FROM pack
        """)
      try expect(model.stateRows, "SELECT * FROM pack_state")
      try expect(
        model.assetRows,
        """
        SELECT id, pack_id, remote_url, local_path, etag, sha256, bytes_total FROM local_asset
        """)
      try expect(model.audioRows, "SELECT * FROM item_local_audio")
      try expect(model.playlistRows, "SELECT * FROM music_playlist_ref")
      try expect(model.trackRows, "SELECT * FROM music_track_cache")
      try expect(model.placeRows, "SELECT * FROM playlist_track")
      try expect(
        model.metadataRows,
        """
        SELECT item_id, state, reason, title, curator, artwork_url, is_playable
        FROM projection_playlist WHERE state NOT NULL
        """)
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

/// The rows that the model stands for, as text.
extension LibraryModel {
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

  var playlistRows: [String] {
    playlists.values.map {
      text([$0.item, $0.playlistID, synced[$0.item], $0.useSnapshot ? 1 : 0])
    }
  }

  var trackRows: [String] {
    tracks.values.map {
      text([$0.id, $0.title, $0.artist, $0.album, $0.duration, $0.artworkURL, seen[$0.id]])
    }
  }

  var placeRows: [String] {
    snapshots.flatMap { item, snapshots in
      snapshots.flatMap { snapshot in
        snapshot.ids.enumerated().map {
          text([playlists[item]?.playlistID, $1, $0, snapshot.at])
        }
      }
    }
  }

  var metadataRows: [String] {
    refreshed.map { item, event in
      let known = metadata[item]
      return text([
        item, event.state.name.rawValue, event.state.reason, known?.title, known?.curator,
        known?.artworkURL, known.map { $0.isPlayable ? 1 : 0 },
      ])
    }
  }

  var suppressionRows: [String] {
    suppressed.flatMap { item, tags in tags.map { text([item, $0.dimension.table, $0.id]) } }
  }

  var aliasRows: [String] {
    aliases.flatMap { dimension, names in names.map { text([dimension.table, $0, $1]) } }
  }

  var mergedRows: [String] {
    merged.map { text([$0.dimension.table, $0.id, $1]) }
  }

  var kindRows: [String] {
    Set(items.values.map(\.kind)).map { kind in
      text([kind.rawValue, items.values.count { $0.kind == kind && !hidden.contains($0.id) }])
    }
  }

  var memberRows: [String] {
    members.flatMap { pack, items in
      items.enumerated().map { text([pack, $1, $0]) }
    }
  }

  var packRows: [String] {
    packs.map { id, pack in
      text([id, pack.kind.rawValue, pack.title, pack.description, pack.version])
    }
  }

  var stateRows: [String] {
    states.map { id, state in
      text([
        id, state.state, state.total, state.downloaded, state.installed, state.error,
        state.changed,
      ])
    }
  }

  var assetRows: [String] {
    assets.flatMap { pack, assets in
      assets.values.map {
        text([
          $0.asset, pack, $0.url, $0.path, $0.etag, $0.sha256, $0.bytes,
        ])
      }
    }
  }

  var audioRows: [String] {
    audio.map { item, asset in
      text([
        item, asset.asset, asset.codec, asset.sampleRate, asset.channels,
        asset.isLoopable ? 1 : 0,
      ])
    }
  }

  private func text(_ values: [(any CustomStringConvertible)?]) -> String {
    values.map { $0.map(\.description) ?? "~" }.joined(separator: "|")
  }
}
