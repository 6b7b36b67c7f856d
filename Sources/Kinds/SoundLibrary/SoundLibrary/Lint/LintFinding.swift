import CatalogModel

/// Something in a catalog that a person may want to tidy up.
public enum LintFinding: Hashable, Sendable {
  /// Values of one dimension that differ only in case, accents, quotes, dashes, width, white space or a
  /// plural s. The first is the one to keep: it has the most items.
  case lookAlikes(TagDimension, [VocabularyEntry])
  /// A value that no item has.
  case unusedValue(TagDimension, TagValue)
  /// A visible item without any tag.
  case untaggedItem(LibraryItemRow)
  /// A row that names an item or a value which is not there: the database was changed by hand.
  case danglingID(table: String, column: String, id: String)
  /// An event of the log that changed nothing, because it contradicts what earlier events made. It stays in the log.
  case conflict(sequence: UInt64, type: String, message: String)
}
