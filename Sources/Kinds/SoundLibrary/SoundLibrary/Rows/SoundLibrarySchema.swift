import CatalogModel
import Projections

/// The tables of a sound library: those of the brief, and our own under `projection_`.
///
/// Tables with a composite key are WITHOUT ROWID: the key is the row, which halves the join tables
/// (`docs/decisions`). Names, columns and constraints are the brief's.
enum SoundLibrarySchema {
  /// All of them, in the order that digests and the fingerprint go by. A table has no place before this is asked for, and no
  /// store of rows can be made without it.
  static let schema: Schema = {
    let prescribed = [
      libraryItem, PlaylistReference.table.description, CachedTrack.table.description,
      PlaylistPlace.table.description, PackRow.table.description, PackStateRow.table.description,
      PackMember.table.description, LocalAsset.table.description,
      ItemAudio.table.description,
    ]
    let own = [
      seed, source, item, PackSource.table.description, tagging, suppression, value, alias,
      AppliedManifest.table.description, PackTag.table.description, itemText, kind,
      KnownPlaylist.table.description, TrackType.table.description, reverted.description,
    ]
    var schema = Schema()
    for table in prescribed + TagDimension.all.map(values) + joinTables + own { schema.add(table) }
    // Finds items by words of titles and subtitles.
    schema.addFullTextIndex(
      "projection_item_search", over: itemText, columns: ["title", "title_variants", "subtitle"])
    // Finds values by words of names.
    schema.addFullTextIndex("projection_value_search", over: value, columns: ["words"])
    return schema
  }()

  static let libraryItem = TableDescription(
    "library_item",
    columns: [
      Column("id", .id, sql: "TEXT PRIMARY KEY"),
      Column("kind", .text, sql: "TEXT NOT NULL CHECK(kind IN ('music','atmosphere','sfx'))"),
      Column("title", .text, isName: true),
      Column("subtitle", .text, nullable: true),
      Column("duration", .real, nullable: true),
      Column("artwork_url", .text, nullable: true),
      Column("is_visible", .integer, default: .integer(1)),
      Column("created_at", .time),
      Column("updated_at", .time, isChangeStamp: true),
    ],
    key: ["id"], indexes: [.index("idx_library_item_kind", on: ["kind"])])

  private static let joinTables = TagDimension.all.map { dimension in
    TableDescription(
      dimension.joinTable,
      columns: [
        Column("item_id", .id, names: "library_item"),
        Column(dimension.joinColumn, .integer, names: dimension.table),
      ],
      key: ["item_id", dimension.joinColumn],
      indexes: [.index(dimension.joinIndex, on: [.ascending(dimension.joinColumn)])])
  }

  /// Has the seeds that were imported: `importIfNeeded` looks at it first.
  static let seed = TableDescription(
    "projection_seed",
    columns: [
      Column("seed_id", .text),
      Column("revision", .integer),
      Column("sha256", .text),
      Column("imported_at", .time),
    ],
    key: ["seed_id"])

  /// Spells once who says something: `seed:starter`.
  static let source = TableDescription(
    "projection_source",
    columns: [
      Column("id", .integer),
      Column("name", .text, unique: true, isName: true),
    ],
    key: ["id"], indexes: [.lookup(["name"])])

  /// Gives items a dense number of their own: implicit rowids are not stable under VACUUM. What an index
  /// asks of each of them is here too: one narrow table is quickly read.
  static let item = TableDescription(
    "projection_item",
    columns: [
      Column("number", .integer),
      Column("item_id", .id, unique: true, names: "library_item"),
      Column("source_id", .integer, names: "projection_source"),
      Column("kind", .text),
      Column("is_visible", .integer),
    ],
    key: ["number"],
    indexes: [.lookup(["item_id"]), .index("projection_idx_item_source", on: ["source_id"])])

  /// Tells which source gives an item which values (`TagList`): the join tables are the union of these.
  static let tagging = TableDescription(
    "projection_tagging",
    columns: [
      Column("item_number", .integer),
      Column("source_id", .integer),
      Column("tags", .text),
    ],
    key: ["item_number", "source_id"],
    indexes: [.lookup(["item_number"])])

  /// Has what a person takes from an item, whatever sources give it.
  static let suppression = Suppression.table.description

  /// Has every value that there ever was, with the one that means it since a merge.
  static let value = KnownValue.table.description

  /// Has other names that mean a value; `origin` is `renamed`, `merged` or `aliased`.
  static let alias = ValueAlias.table.description

  /// Has titles and subtitles as folded words, which the full-text index holds, and by which titles sort.
  static let itemText = TableDescription(
    "projection_item_text",
    columns: [
      Column("number", .integer),
      Column("title", .text),
      Column("title_variants", .text),
      Column("subtitle", .text),
    ],
    key: ["number"], indexes: [.index("projection_idx_item_text_title", on: ["title"])])

  /// Tells how many visible items a kind has: to count a million rows takes as long as to open the catalog.
  static let kind = TableDescription(
    "projection_kind",
    columns: [
      Column("kind", .text),
      Column("visible", .integer),
    ],
    key: ["kind"])

  /// Tells what was taken back, and why.
  static let reverted = RevertedRow.makeTable()

  /// The table of a dimension's values.
  static func values(of dimension: TagDimension) -> TableDescription {
    DimensionValue.table(of: dimension).description
  }

  /// The table that joins items with values of a dimension.
  static func join(of dimension: TagDimension) -> TableDescription {
    joinTables[dimension.ordinal]
  }

  // Ways to find rows that the projector and the seed importer use.
  static func valueByName(_ dimension: TagDimension) -> IndexReference {
    IndexReference(table: values(of: dimension), ordinal: 0)
  }
  static let itemsByKind = IndexReference(table: libraryItem, ordinal: 0)
  static let sourceByName = IndexReference(table: source, ordinal: 0)
  static let itemByID = IndexReference(table: item, ordinal: 0)
  static let itemsBySource = IndexReference(table: item, ordinal: 1)
  static let taggingsByItem = IndexReference(table: tagging, ordinal: 0)

  /// The items that show a value.
  static func itemsByValue(_ dimension: TagDimension) -> IndexReference {
    IndexReference(table: join(of: dimension), ordinal: 0)
  }
}
