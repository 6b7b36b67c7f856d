// The places of columns of tables that most events change. Code that an import calls for each item keeps their rows as
// arrays: to make a struct of each row, cell by cell, costs too much a million times. A test compares the places with the
// tables.

/// Columns of `library_item`.
enum LibraryItemColumn {
  static let kind = 1
  /// From the title to the artwork: what a seed says of an item besides its kind.
  static let content = 2...5
  static let isVisible = 6
  static let updatedAt = 8
}

/// Columns of the tables of values.
enum ValueColumn {
  static let id = 0
  static let isSystem = 3
}

/// Columns of `projection_item`.
enum ItemColumn {
  static let number = 0
  static let sourceID = 2
}

/// Columns of `projection_tagging`.
enum TaggingColumn {
  static let itemNumber = 0
  static let sourceID = 1
  static let tags = 2
}
