import CatalogModel
package import Projections

/// The items that the last transactions changed. Readers keep indexes in memory, and continue with them from one checkpoint to a
/// later one, of this process or another.
enum ChangeJournal {
  /// Transactions that are remembered. A download notes up to a hundred of them, and changes few items.
  fileprivate static let depth: Int64 = 256
  /// Items of a transaction that are remembered: if there are more, an index is rebuilt.
  static let limit = 16_384
}

/// The items that one transaction changed.
final class ChangedItems: TransactionNotes {
  private enum Subject {
    /// The item whose id is the first column of the key.
    case item
    /// The names of the values of a dimension.
    case vocabulary
  }

  /// Subjects by the ordinals of tables.
  private static let subjects: [Subject?] = SoundLibrarySchema.schema.tables.map { table in
    if TagDimension.all.contains(where: { $0.table == table.name }) { return .vocabulary }
    let isOfItems =
      [SoundLibrarySchema.libraryItem.name, ItemAudio.table.name]
      .contains(table.name) || TagDimension.all.contains { $0.joinTable == table.name }
    return isOfItems ? .item : nil
  }

  /// Nil if they are too many to be remembered.
  private var items: Set<EntityID>? = []
  private var touchesVocabularies = false

  func note(_ table: TableDescription, key: Value) {
    switch Self.subjects[table.ordinal] {
    case nil: break
    case .vocabulary: touchesVocabularies = true
    case .item:
      if items != nil, case .id(let id) = key {
        items?.insert(id)
        if items?.count ?? 0 > ChangeJournal.limit { items = nil }
      }
    }
  }

  func statements(
    from previous: (sequence: UInt64, chain: String), to sequence: UInt64
  ) -> [(sql: String, values: [Value])] {
    [
      (
        """
        INSERT OR REPLACE INTO projection_change
          (sequence, previous, previous_chain, vocabularies, items)
        VALUES (?, ?, ?, ?, ?)
        """,
        [
          .integer(Int64(clamping: sequence)), .integer(Int64(clamping: previous.sequence)),
          .text(previous.chain), .flag(touchesVocabularies),
          items.map { .blob($0.sorted().flatMap(\.bytes)) } ?? .null,
        ]
      ),
      (
        """
        DELETE FROM projection_change WHERE sequence <= (
          SELECT max(sequence) FROM (
            SELECT sequence, row_number() OVER newest AS count,
              total(length(items)) OVER newest AS bytes
            FROM projection_change WINDOW newest AS (ORDER BY sequence DESC))
          WHERE count > ? OR bytes > ?)
        """, [.integer(ChangeJournal.depth), .integer(16 * Int64(ChangeJournal.limit))]
      ),
    ]
  }
}

extension SoundLibraryKind: NotingKind {
  package func makeNotes() -> any TransactionNotes { ChangedItems() }
}
