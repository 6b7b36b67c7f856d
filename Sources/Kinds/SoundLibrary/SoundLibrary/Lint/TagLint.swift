import CatalogModel
import CatalogStore
import GRDB
import Projections

/// Looks through a whole catalog for what nobody meant: reads every row, unlike the repositories.
public struct TagLint: Sendable {
  private let reader: SoundReader

  init(_ reader: SoundReader) {
    self.reader = reader
  }

  /// All findings: look-alikes, unused values, untagged items, dangling ids, conflicts, each in a fixed order.
  public func findings() async throws -> [LintFinding] {
    try await reader.read { database in try database.withLargeCache { try findings(database) } }
  }

  private func findings(_ database: Database) throws -> [LintFinding] {
    var findings: [LintFinding] = []
    var unused: [LintFinding] = []
    for dimension in TagDimension.all {
      let values = try VocabularyRepository.values(database, dimension, countsItems: false)
      findings += try lookAlikes(values, dimension, database).map { .lookAlikes(dimension, $0) }
      let used = Set(
        try database.rows(
          of: TagValue.origin(dimension),
          """
          SELECT id FROM \(dimension.table) AS value WHERE EXISTS (
            SELECT 1 FROM \(dimension.joinTable) WHERE \(dimension.joinColumn) = value.id)
          """
        ) { try $0.integer(0) })
      unused += values.filter { !used.contains($0.value.id) }
        .map { .unusedValue(dimension, $0.value) }
    }
    let conflicts = try ConflictTable.read(database).map { conflict in
      LintFinding.conflict(
        sequence: conflict.sequence, type: conflict.type, message: conflict.message)
    }
    return findings + unused + (try untagged(database)) + (try dangling(database)) + conflicts
  }

  /// Groups of two and more, the one to keep first.
  private func lookAlikes(
    _ values: [VocabularyEntry], _ dimension: TagDimension, _ database: Database
  ) throws -> [[VocabularyEntry]] {
    var groups: [String: [VocabularyEntry]] = [:]
    for entry in values { groups[Self.likeness(of: entry.value.name), default: []].append(entry) }
    return try groups.values.filter { $0.count > 1 }
      .map { group in
        // To count the items of all values would be most of the work.
        try group.map { entry in
          var entry = entry
          entry.itemCount = try VocabularyRepository.itemCount(
            database, dimension, of: entry.value.id)
          return entry
        }.sorted { Self.isKept($0, before: $1) }
      }
      .sorted { $0[0].value.id < $1[0].value.id }
  }

  private static func isKept(_ left: VocabularyEntry, before right: VocabularyEntry) -> Bool {
    if left.itemCount != right.itemCount { return left.itemCount > right.itemCount }
    if left.isSystem != right.isSystem { return left.isSystem }
    return left.value.id < right.value.id
  }

  /// What names that look alike have in common.
  static func likeness(of name: String) -> String {
    let text = SearchText(name)
    let words = text.words.isEmpty ? text.variants : text.words
    // Once more for the whole: `Omin-ous` is two words, `Ominous` one.
    return singular(words.split(separator: " ").map { singular(String($0)) }.joined())
  }

  private static func singular(_ word: String) -> String {
    word.utf8.count > 3 && word.hasSuffix("s") && !word.hasSuffix("ss")
      ? String(word.dropLast()) : word
  }

  private func untagged(_ database: Database) throws -> [LintFinding] {
    let conditions = TagDimension.all.map { dimension in
      "NOT EXISTS (SELECT 1 FROM \(dimension.joinTable) WHERE item_id = item.id)"
    }
    return try database.rows(
      of: LibraryItemRow.origin,
      """
      SELECT \(LibraryItemRow.columns) FROM library_item AS item
      WHERE item.is_visible = 1 AND \(conditions.joined(separator: " AND ")) ORDER BY item.id
      """
    ) { .untaggedItem(try LibraryItemRow($0)) }
  }

  private func dangling(_ database: Database) throws -> [LintFinding] {
    var references = TagDimension.all.flatMap { dimension in
      [
        (dimension.joinTable, "item_id", "library_item"),
        (dimension.joinTable, dimension.joinColumn, dimension.table),
      ]
    }
    references += [
      ("pack_item", "item_id", "library_item"), ("pack_item", "pack_id", "pack"),
      ("music_playlist_ref", "item_id", "library_item"),
    ]
    return try references.flatMap { table, column, target in
      // What is dangling was changed by hand: it may be anything.
      try database.rows(
        of: StoredRow.Origin(table),
        """
        SELECT DISTINCT \(column) FROM \(table) EXCEPT SELECT id FROM \(target) ORDER BY 1
        """
      ) { .danglingID(table: table, column: column, id: $0.shown(0)) }
    }
  }
}
