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
      AppliedSeed.table.description, source, item, PackSource.table.description, tagging,
      suppression, value, alias, AppliedManifest.table.description, PackTag.table.description,
      itemText, kind, KnownPlaylist.table.description, TrackType.table.description,
      reverted.description,
    ]
    var schema = Schema()
    for table in prescribed + TagDimension.all.map(values) + TagDimension.all.map(join) + own {
      schema.add(table)
    }
    // Finds items by words of titles and subtitles.
    schema.addFullTextIndex(
      "projection_item_search", over: itemText, columns: ["title", "title_variants", "subtitle"])
    // Finds values by words of names.
    schema.addFullTextIndex("projection_value_search", over: value, columns: ["words"])
    return schema
  }()

  private static let joinTables = TagDimension.all.map { ShownTag.table(of: $0).description }

  // Descriptions of tables that several files name.
  static let libraryItem = LibraryItem.table.description
  static let source = NamedSource.table.description
  static let item = NumberedItem.table.description
  static let itemText = ItemTextRow.table.description
  static let tagging = Tagging.table.description
  static let kind = VisibleCount.table.description
  static let suppression = Suppression.table.description
  static let value = KnownValue.table.description
  static let alias = ValueAlias.table.description

  /// The operations that were reverted, each with its reason.
  static let reverted = RevertedRow.makeTable()

  /// The table of a dimension's values.
  static func values(of dimension: TagDimension) -> TableDescription {
    DimensionValue.table(of: dimension).description
  }

  /// The table that joins items with values of a dimension.
  static func join(of dimension: TagDimension) -> TableDescription {
    joinTables[dimension.ordinal]
  }

  /// Finds a value by its name.
  static func valueByName(_ dimension: TagDimension) -> IndexReference {
    IndexReference(table: values(of: dimension), ordinal: 0)
  }
}
