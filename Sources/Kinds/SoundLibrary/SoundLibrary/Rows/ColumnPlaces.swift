// The places of columns of tables that most events change. Their rows stay arrays: a struct would be made of each row,
// cell by cell, a million times for a large import.

/// Columns of `library_item`.
enum LibraryItemColumn {
  static let id = 0
  static let kind = 1
  static let title = 2
  static let subtitle = 3
  static let isVisible = 6
  static let updatedAt = 8
}

/// Columns of `projection_item`.
enum ItemColumn {
  static let itemID = 1
  static let kind = 3
  static let isVisible = 4
}

/// Columns of `projection_tagging`.
enum TaggingColumn {
  static let itemNumber = 0
  static let sourceID = 1
  static let tags = 2
}
