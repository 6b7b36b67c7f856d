import CatalogModel
import Projections
import Support

/// Makes the rows that follow from rows which an event brought back.
extension SoundLibraryProjector {
  func restored(
    _ reversal: Reversal, _ record: SoundEventRecord, _ store: some RowStore
  ) throws {
    if case .rows(let rows) = reversal { try requireReadable(rows, record) }
    let rows = try reversal.apply(
      record, reverted: Tables.reverted, in: Tables.schema, to: store)
    var touched: [Int64: Set<ItemTag>] = [:]
    var items: Set<EntityID> = []
    for row in rows {
      if row.table === Tables.libraryItem {
        if let after = row.after { items.insert(try LibraryItem.table.row(after).id) }
      } else if row.table === Tables.item {
        for (values, change) in [(row.before, Int64(-1)), (row.after, 1)] {
          guard let item = try values.map(NumberedItem.table.row) else { continue }
          if change > 0 { items.insert(item.itemID) }
          if item.isVisible { try countVisible(change, of: item.kind, store) }
        }
      } else if row.table === Tables.tagging {
        for values in [row.before, row.after].compactMap(\.self) {
          let tagging = try Tagging.table.row(values)
          touched[tagging.itemNumber, default: []].formUnion(tagging.list.tags)
        }
      } else if row.table === Tables.suppression {
        for values in [row.before, row.after].compactMap(\.self) {
          let suppression = try Suppression.table.row(values)
          touched[suppression.itemNumber, default: []].insert(suppression.tag)
        }
      }
    }
    for item in items.sorted() { try updateDerivedRows(item: item, store) }
    for (number, tags) in touched.sorted(by: { $0.key < $1.key }) {
      try show(tags, ofItem: number, store)
    }
  }

  /// Makes what an item's own rows have of it: its words, and what an index asks of it. Its number may come back after it.
  private func updateDerivedRows(item id: EntityID, _ store: some RowStore) throws {
    guard let item = try store.row(of: LibraryItem.table, key: id),
      var own = try store.rows(of: NumberedItem.table, where: \.itemID, is: id).first
    else { return }
    try put(ItemTexts(title: item.title, subtitle: item.subtitle), number: own.number, store)
    guard (own.kind, own.isVisible) != (item.kind, item.isVisible) else { return }
    if own.isVisible { try countVisible(-1, of: own.kind, store) }
    (own.kind, own.isVisible) = (item.kind, item.isVisible)
    try store.put(own, in: NumberedItem.table)
    if own.isVisible { try countVisible(1, of: own.kind, store) }
  }

  /// The item shows each of these tags if any source gives it, and no person took it away.
  private func show(
    _ tags: Set<ItemTag>, ofItem number: Int64, _ store: some RowStore
  ) throws {
    guard let item = try store.row(of: NumberedItem.table, key: number)?.itemID else { return }
    var given: Set<ItemTag> = []
    for tagging in try store.rows(of: Tagging.table, by: Tagging.byItem, equal: number) {
      given.formUnion(tagging.list.tags)
    }
    given.subtract(try suppressions(of: number, store))
    for tag in tags.sorted() {
      if given.contains(tag) {
        try show(tag, of: item, store)
      } else {
        try hide(tag, of: item, store)
      }
    }
  }

  /// A row that was written by hand into a log may hold what no projector writes or reads.
  private func requireReadable(_ rows: RestoredRows, _ record: SoundEventRecord) throws {
    guard !Tables.reversalRules.derived.contains(where: { $0.name == rows.table }) else {
      throw ProjectionError(.contradiction, "the rows of \(rows.table) follow from others")
    }
    guard [Tables.item.name, Tables.value.name].contains(rows.table),
      let place = rows.columns.firstIndex(of: "number")
    else { return }
    for row in rows.rows where place < row.count {
      // No log counts further than it has events.
      guard case .integer(let number) = row[place], number > 0, number <= record.sequence else {
        throw ProjectionError(
          .contradiction, "a row of \(rows.table) holds what is never written there")
      }
    }
  }
}
