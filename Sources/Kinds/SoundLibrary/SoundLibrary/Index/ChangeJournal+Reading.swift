import CatalogModel
import CatalogStore
import EventLog
import GRDB

extension ChangeJournal {
  /// The changes between two checkpoints.
  struct Changes {
    var items: Set<EntityID> = []
    var touchesVocabularies = false
  }

  /// Reads what the transactions between two checkpoints changed; nil if they are not all known.
  ///
  /// Rows of another form are ignored and not an error: a person may have written them, and without them all items are read.
  static func read(
    from first: Checkpoint, to last: Checkpoint, _ database: Database
  ) throws -> Changes? {
    var changes = Changes()
    let start = Int64(clamping: first.sequence)
    var reached = start
    let rows = try PreparedStatement(
      database,
      """
      SELECT sequence, previous, vocabularies, items, previous_chain FROM projection_change
      WHERE sequence > \(start) ORDER BY sequence
      """)
    while try rows.step() {
      guard case .integer(let sequence) = rows.cell(0), case .integer(reached) = rows.cell(1),
        case .integer(let touches) = rows.cell(2), 0...1 ~= touches,
        case .blob(let items) = rows.cell(3), items.count % 16 == 0, items.count / 16 <= limit
      else { return nil }
      // The first one must begin at the reader's checkpoint, on the same history.
      if reached == start {
        guard case .text(let chain) = rows.cell(4), chain.elementsEqual(first.head.chain.hex.utf8)
        else {
          return nil
        }
      }
      for start in stride(from: 0, to: items.count, by: 16) {
        changes.items.insert(EntityID(bytes: items[start..<start + 16]))
      }
      guard changes.items.count <= limit else { return nil }
      if touches == 1 { changes.touchesVocabularies = true }
      reached = sequence
    }
    return reached == Int64(clamping: last.sequence) ? changes : nil
  }
}
