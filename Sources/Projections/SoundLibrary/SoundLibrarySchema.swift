package import CatalogModel

/// The tables of a sound library: those of the brief, and our own under `projection_`.
///
/// Tables with a composite key are WITHOUT ROWID: the key is the row, which halves the join tables
/// (`docs/decisions`). Names, columns and constraints are the brief's.
package enum SoundLibrarySchema {
  package static let schema: Schema = built.schema

  package static let libraryItem = built.libraryItem
  package static let musicPlaylistRef = built.musicPlaylistRef
  package static let musicTrackCache = built.musicTrackCache
  package static let playlistTrack = built.playlistTrack
  package static let pack = built.pack
  package static let packState = built.packState
  package static let packItem = built.packItem
  package static let localAsset = built.localAsset
  package static let itemLocalAudio = built.itemLocalAudio
  package static let seed = built.seed
  package static let source = built.source
  package static let item = built.item
  package static let packSource = built.packSource
  package static let tagging = built.tagging
  package static let suppression = built.suppression
  package static let value = built.value
  package static let alias = built.alias
  package static let manifest = built.manifest
  package static let playlist = built.playlist
  package static let track = built.track
  package static let packTag = built.packTag
  package static let itemText = built.itemText
  package static let kind = built.kind

  /// Finds the rows of `itemText` by words of titles and subtitles.
  package static let itemSearch = built.itemSearch
  /// Finds the rows of `value` by words of names.
  package static let valueSearch = built.valueSearch

  /// The table of a dimension's values.
  package static func values(of dimension: TagDimension) -> TableDescription {
    built.values[dimension.ordinal]
  }

  /// The table that joins items with values of a dimension.
  package static func join(of dimension: TagDimension) -> TableDescription {
    built.joins[dimension.ordinal]
  }

  // Ways to find rows that the projector and the seed importer use.
  package static func valueByName(_ dimension: TagDimension) -> IndexReference {
    IndexReference(table: values(of: dimension), ordinal: 0)
  }
  package static let playlistByID = IndexReference(table: musicPlaylistRef, ordinal: 0)
  package static let tracksByPlaylist = IndexReference(table: playlistTrack, ordinal: 0)
  package static let tracksBySnapshot = IndexReference(table: playlistTrack, ordinal: 1)
  package static let packStatesByState = IndexReference(table: packState, ordinal: 0)
  package static let packItemsByPack = IndexReference(table: packItem, ordinal: 0)
  package static let packItemsByItem = IndexReference(table: packItem, ordinal: 1)
  package static let sourceByName = IndexReference(table: source, ordinal: 0)
  package static let itemByID = IndexReference(table: item, ordinal: 0)
  package static let itemsBySource = IndexReference(table: item, ordinal: 1)
  package static let taggingsByItem = IndexReference(table: tagging, ordinal: 0)
  package static let suppressionsByItem = IndexReference(table: suppression, ordinal: 0)
  package static let suppressionsByValue = IndexReference(table: suppression, ordinal: 1)
  package static let valueNumber = IndexReference(table: value, ordinal: 0)
  package static let valuesMergedInto = IndexReference(table: value, ordinal: 1)
  package static let localAssetsByPack = IndexReference(table: localAsset, ordinal: 0)
  package static let audioByAsset = IndexReference(table: itemLocalAudio, ordinal: 0)
  package static let packTagsByPack = IndexReference(table: packTag, ordinal: 0)
  package static let packTagsByValue = IndexReference(table: packTag, ordinal: 1)
  package static let aliasesOfValue = IndexReference(table: alias, ordinal: 0)

  /// The items that show a value.
  package static func itemsByValue(_ dimension: TagDimension) -> IndexReference {
    IndexReference(table: join(of: dimension), ordinal: 0)
  }

  private static let built = Built()

  private struct Built: Sendable {
    let schema: Schema
    let libraryItem, musicPlaylistRef, musicTrackCache, playlistTrack: TableDescription
    let pack, packState, packItem, localAsset, itemLocalAudio: TableDescription
    let seed, source, item, packSource, tagging, suppression: TableDescription
    let value, alias, itemText, kind, manifest, packTag, playlist, track: TableDescription
    let itemSearch, valueSearch: FullTextIndexDescription
    let values, joins: [TableDescription]

    init() {
      var schema = Schema()
      libraryItem = schema.add(
        "library_item",
        columns: [
          ("id", .id, "TEXT PRIMARY KEY"),
          ("kind", .text, "TEXT NOT NULL CHECK(kind IN ('music','atmosphere','sfx'))"),
          ("title", .text, "TEXT NOT NULL"),
          ("subtitle", .text, "TEXT NULL"),
          ("duration", .real, "REAL NULL"),
          ("artwork_url", .text, "TEXT NULL"),
          ("is_visible", .integer, "INTEGER NOT NULL DEFAULT 1"),
          ("created_at", .time, "TEXT NOT NULL"),
          ("updated_at", .time, "TEXT NOT NULL"),
        ],
        key: ["id"], indexes: [("idx_library_item_kind", ["kind"])], subject: .entity)
      musicPlaylistRef = schema.add(
        "music_playlist_ref",
        columns: [
          ("item_id", .id, "TEXT PRIMARY KEY REFERENCES library_item(id) ON DELETE CASCADE"),
          ("apple_music_playlist_id", .text, "TEXT NOT NULL UNIQUE"),
          ("last_sync_at", .time, "TEXT NULL"),
          ("use_snapshot", .integer, "INTEGER NOT NULL DEFAULT 0"),
        ],
        key: ["item_id"], indexes: [(nil, ["apple_music_playlist_id"])])
      musicTrackCache = schema.add(
        "music_track_cache",
        columns: [
          ("track_id", .text, "TEXT PRIMARY KEY"),
          ("title", .text, "TEXT NOT NULL"),
          ("artist", .text, "TEXT NOT NULL"),
          ("album", .text, "TEXT NULL"),
          ("duration", .real, "REAL NULL"),
          ("artwork_url", .text, "TEXT NULL"),
          ("last_seen_at", .time, "TEXT NOT NULL"),
        ],
        key: ["track_id"])
      playlistTrack = schema.add(
        "playlist_track",
        columns: [
          ("playlist_id", .text, "TEXT NOT NULL"),
          ("track_id", .text, "TEXT NOT NULL"),
          ("position", .integer, "INTEGER NOT NULL"),
          ("snapshot_at", .time, "TEXT NOT NULL"),
        ],
        // In the order of the columns: of any other, SQLite 3.40 finds NULL where there is none.
        key: ["playlist_id", "track_id", "position", "snapshot_at"],
        indexes: [
          (nil, ["playlist_id"]),
          ("projection_idx_playlist_track_snapshot", ["playlist_id", "snapshot_at"]),
        ])
      pack = schema.add(
        "pack",
        columns: [
          ("id", .id, "TEXT PRIMARY KEY"),
          ("kind", .text, "TEXT NOT NULL CHECK(kind IN ('atmosphere','sfx'))"),
          ("title", .text, "TEXT NOT NULL"),
          ("description", .text, "TEXT NULL"),
          ("artwork_url", .text, "TEXT NULL"),
          ("version", .integer, "INTEGER NOT NULL"),
          ("manifest_url", .text, "TEXT NOT NULL"),
          ("created_at", .time, "TEXT NOT NULL"),
        ],
        key: ["id"])
      packState = schema.add(
        "pack_state",
        columns: [
          ("pack_id", .id, "TEXT PRIMARY KEY REFERENCES pack(id) ON DELETE CASCADE"),
          (
            "state", .text,
            "TEXT NOT NULL CHECK(state IN ('not_downloaded','downloading','downloaded','failed'))"
          ),
          ("bytes_total", .integer, "INTEGER NULL"),
          ("bytes_downloaded", .integer, "INTEGER NULL"),
          ("installed_version", .integer, "INTEGER NULL"),
          ("last_error", .text, "TEXT NULL"),
          ("updated_at", .time, "TEXT NOT NULL"),
        ],
        key: ["pack_id"], indexes: [("idx_pack_state_state", ["state"])])
      packItem = schema.add(
        "pack_item",
        columns: [
          ("pack_id", .id, "TEXT NOT NULL REFERENCES pack(id) ON DELETE CASCADE"),
          ("item_id", .id, "TEXT NOT NULL REFERENCES library_item(id) ON DELETE CASCADE"),
          ("sort_order", .integer, "INTEGER NOT NULL"),
        ],
        key: ["pack_id", "item_id"],
        indexes: [
          ("idx_pack_item_pack", ["pack_id"]), ("projection_idx_pack_item_item", ["item_id"]),
        ])
      localAsset = schema.add(
        "local_asset",
        columns: [
          ("id", .id, "TEXT PRIMARY KEY"),
          ("pack_id", .id, "TEXT NOT NULL REFERENCES pack(id) ON DELETE CASCADE"),
          ("remote_url", .text, "TEXT NOT NULL"),
          ("local_path", .text, "TEXT NULL"),
          ("etag", .text, "TEXT NULL"),
          ("sha256", .text, "TEXT NULL"),
          ("bytes_total", .integer, "INTEGER NULL"),
          ("created_at", .time, "TEXT NOT NULL"),
        ],
        key: ["id"], indexes: [("projection_idx_local_asset_pack", ["pack_id"])])
      itemLocalAudio = schema.add(
        "item_local_audio",
        columns: [
          ("item_id", .id, "TEXT PRIMARY KEY REFERENCES library_item(id) ON DELETE CASCADE"),
          ("asset_id", .id, "TEXT NOT NULL REFERENCES local_asset(id) ON DELETE CASCADE"),
          ("codec", .text, "TEXT NULL"),
          ("sample_rate", .integer, "INTEGER NULL"),
          ("channels", .integer, "INTEGER NULL"),
          ("loopable", .integer, "INTEGER NOT NULL DEFAULT 0"),
        ],
        key: ["item_id"], indexes: [("projection_idx_item_local_audio_asset", ["asset_id"])],
        subject: .entity)
      values = TagDimension.all.map { dimension in
        schema.add(
          dimension.table,
          columns: [
            ("id", .integer, "INTEGER PRIMARY KEY"),
            ("name", .text, "TEXT NOT NULL UNIQUE"),
            ("sort_order", .integer, "INTEGER NULL"),
            ("is_system", .integer, "INTEGER NOT NULL DEFAULT 1"),
            ("created_at", .time, "TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP"),
          ],
          key: ["id"], indexes: [(nil, ["name"])], subject: .names)
      }
      joins = TagDimension.all.map { dimension in
        schema.add(
          dimension.joinTable,
          columns: [
            ("item_id", .id, "TEXT NOT NULL"),
            (dimension.joinColumn, .integer, "INTEGER NOT NULL"),
          ],
          key: ["item_id", dimension.joinColumn],
          indexes: [(dimension.joinIndex, [dimension.joinColumn])], subject: .entity)
      }
      // Which seeds were imported, and where: what `importIfNeeded` looks at first.
      seed = schema.add(
        "projection_seed",
        columns: [
          ("seed_id", .text, "TEXT PRIMARY KEY NOT NULL"),
          ("revision", .integer, "INTEGER NOT NULL"),
          ("sha256", .text, "TEXT NOT NULL"),
          ("imported_at", .time, "TEXT NOT NULL"),
        ],
        key: ["seed_id"])
      // Who says something, spelled once: `seed:starter`.
      source = schema.add(
        "projection_source",
        columns: [
          ("id", .integer, "INTEGER PRIMARY KEY"),
          ("name", .text, "TEXT NOT NULL UNIQUE"),
        ],
        key: ["id"], indexes: [(nil, ["name"])])
      // Items have a dense number of their own: implicit rowids are not stable under VACUUM. What an index
      // asks of each of them stands here too: one narrow table is quickly read.
      item = schema.add(
        "projection_item",
        columns: [
          ("number", .integer, "INTEGER PRIMARY KEY"),
          ("item_id", .id, "TEXT NOT NULL UNIQUE"),
          ("source_id", .integer, "INTEGER NOT NULL"),
          ("kind", .text, "TEXT NOT NULL"),
          ("is_visible", .integer, "INTEGER NOT NULL"),
        ],
        key: ["number"],
        indexes: [(nil, ["item_id"]), ("projection_idx_item_source", ["source_id"])])
      packSource = schema.add(
        "projection_pack",
        columns: [
          ("pack_id", .id, "TEXT PRIMARY KEY NOT NULL"),
          ("source_id", .integer, "INTEGER NOT NULL"),
        ],
        key: ["pack_id"])
      // Which source gives an item which values (`TagList`): the join tables are the union of these.
      tagging = schema.add(
        "projection_tagging",
        columns: [
          ("item_number", .integer, "INTEGER NOT NULL"),
          ("source_id", .integer, "INTEGER NOT NULL"),
          ("tags", .text, "TEXT NOT NULL"),
        ],
        key: ["item_number", "source_id"],
        indexes: [(nil, ["item_number"])])
      // What a person takes from an item, whatever sources give it.
      suppression = schema.add(
        "projection_suppression",
        columns: [
          ("item_number", .integer, "INTEGER NOT NULL"),
          ("dimension", .text, "TEXT NOT NULL"),
          ("value_id", .integer, "INTEGER NOT NULL"),
        ],
        key: ["item_number", "dimension", "value_id"],
        indexes: [
          (nil, ["item_number"]),
          ("projection_idx_suppression_value", ["dimension", "value_id"]),
        ])
      // Every value that there ever was, with the one that stands for it since a merge.
      value = schema.add(
        "projection_value",
        columns: [
          ("number", .integer, "INTEGER PRIMARY KEY"),
          ("dimension", .text, "TEXT NOT NULL"),
          ("value_id", .integer, "INTEGER NOT NULL"),
          ("merged_into", .integer, "INTEGER NULL"),
          ("words", .text, "TEXT NOT NULL"),
        ],
        key: ["number"],
        indexes: [
          ("projection_idx_value_id", ["dimension", "value_id"]),
          ("projection_idx_value_merged_into", ["dimension", "merged_into"]),
        ])
      // Other names that mean a value; `origin` is `renamed`, `merged` or `aliased`.
      alias = schema.add(
        "projection_alias",
        columns: [
          ("dimension", .text, "TEXT NOT NULL"),
          ("name", .text, "TEXT NOT NULL"),
          ("value_id", .integer, "INTEGER NOT NULL"),
          ("origin", .text, "TEXT NOT NULL"),
        ],
        key: ["dimension", "name"],
        indexes: [("projection_idx_alias_value", ["dimension", "value_id"])])
      // Which manifest of a pack was accepted: the next one must not be older.
      manifest = schema.add(
        "projection_manifest",
        columns: [
          ("pack_id", .id, "TEXT PRIMARY KEY NOT NULL"),
          ("version", .integer, "INTEGER NOT NULL"),
          ("sha256", .text, "TEXT NOT NULL"),
          ("total_bytes", .integer, "INTEGER NOT NULL"),
          ("assets", .integer, "INTEGER NOT NULL"),
        ],
        key: ["pack_id"])
      // What a manifest says of its whole pack: for the items that join it later.
      packTag = schema.add(
        "projection_pack_tag",
        columns: [
          ("pack_id", .id, "TEXT NOT NULL"),
          ("dimension", .text, "TEXT NOT NULL"),
          ("value_id", .integer, "INTEGER NOT NULL"),
        ],
        key: ["pack_id", "dimension", "value_id"],
        indexes: [
          (nil, ["pack_id"]), ("projection_idx_pack_tag_value", ["dimension", "value_id"]),
        ])
      // Titles and subtitles as folded words: what the full-text index holds, and how titles sort.
      itemText = schema.add(
        "projection_item_text",
        columns: [
          ("number", .integer, "INTEGER PRIMARY KEY"),
          ("title", .text, "TEXT NOT NULL"),
          ("title_variants", .text, "TEXT NOT NULL"),
          ("subtitle", .text, "TEXT NOT NULL"),
        ],
        key: ["number"], indexes: [("projection_idx_item_text_title", ["title"])])
      // How many visible items a kind has: to count a million rows takes as long as to open the catalog.
      kind = schema.add(
        "projection_kind",
        columns: [
          ("kind", .text, "TEXT PRIMARY KEY NOT NULL"),
          ("visible", .integer, "INTEGER NOT NULL"),
        ],
        key: ["kind"])
      // What Apple Music said of an entry's playlist last; nothing of it where it was never asked.
      playlist = schema.add(
        "projection_playlist",
        columns: [
          ("item_id", .id, "TEXT PRIMARY KEY NOT NULL"),
          ("storefront", .text, "TEXT NULL"),
          ("state", .text, "TEXT NULL"),
          ("reason", .text, "TEXT NULL"),
          ("title", .text, "TEXT NULL"),
          ("curator", .text, "TEXT NULL"),
          ("description", .text, "TEXT NULL"),
          ("artwork_url", .text, "TEXT NULL"),
          ("url", .text, "TEXT NULL"),
          ("modified_at", .text, "TEXT NULL"),
          ("snapshot_at", .time, "TEXT NULL"),
          ("snapshot_sequence", .integer, "INTEGER NULL"),
          ("is_playable", .integer, "INTEGER NULL"),
        ],
        key: ["item_id"])
      // What the brief's `music_track_cache` has no column for.
      track = schema.add(
        "projection_track",
        columns: [
          ("track_id", .text, "TEXT PRIMARY KEY NOT NULL"), ("type", .text, "TEXT NOT NULL"),
        ],
        key: ["track_id"])
      itemSearch = schema.addFullTextIndex(
        "projection_item_search", over: itemText,
        columns: ["title", "title_variants", "subtitle"])
      valueSearch = schema.addFullTextIndex(
        "projection_value_search", over: value, columns: ["words"])
      self.schema = schema
    }
  }
}
