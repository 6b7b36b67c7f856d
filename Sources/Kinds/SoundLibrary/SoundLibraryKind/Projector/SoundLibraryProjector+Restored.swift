import CatalogModel
import Projections
import Recoveries

/// Makes the rows that follow from rows which an event brought back.
extension SoundLibraryProjector {
  func restored(
    _ reversal: Reversal, _ record: EventRecord, _ store: some RowStore
  ) throws {
    if case .rows(let rows) = reversal { try requireReadable(rows) }
    let rows = try reversal.apply(
      record, reverted: Tables.reverted, in: Tables.schema, to: store)
    var touched: [Int64: Set<ItemTag>] = [:]
    for row in rows {
      if row.table === Tables.item {
        for (values, change) in [(row.before, Int64(-1)), (row.after, 1)] {
          if let values, values[4] == .flag(true) {
            try countVisible(change, of: values[3], store)
          }
        }
      } else if row.table === Tables.tagging {
        for values in [row.before, row.after].compactMap(\.self) {
          guard case .integer(let number) = values[0] else { continue }
          touched[number, default: []].formUnion(try TagList.tags(of: values))
        }
      } else if row.table === Tables.suppression {
        for values in [row.before, row.after].compactMap(\.self) {
          guard case .integer(let number) = values[0], let tag = ItemTag(suppression: values)
          else { continue }
          touched[number, default: []].insert(tag)
        }
      }
    }
    for (number, tags) in touched.sorted(by: { $0.key < $1.key }) {
      try show(tags, ofItem: number, store)
    }
  }

  /// The item shows each of these tags if any source gives it, and no person took it away.
  private func show(
    _ tags: Set<ItemTag>, ofItem number: Int64, _ store: some RowStore
  ) throws {
    guard case .id(let item)? = try store.value(1, in: Tables.item, key: [.integer(number)]) else {
      return
    }
    var given: Set<ItemTag> = []
    for row in try store.rows(by: Tables.taggingsByItem, equal: [.integer(number)]) {
      given.formUnion(try TagList.tags(of: row))
    }
    given.subtract(try self.tags(by: Tables.suppressionsByItem, equal: [.integer(number)], store))
    for tag in tags.sorted() {
      let key: [Value] = [.id(item), .integer(tag.value)]
      if given.contains(tag) {
        try store.put(key, in: Tables.join(of: tag.dimension))
      } else {
        try store.remove(key: key, from: Tables.join(of: tag.dimension))
      }
    }
  }

  /// A row that was written by hand into a log may hold what no projector reads again.
  private func requireReadable(_ rows: RestoredRows) throws {
    func refuse() -> ProjectionError {
      ProjectionError(.contradiction, "a row of \(rows.table) holds what is never written there")
    }
    if rows.table == Tables.tagging.name, let place = rows.columns.firstIndex(of: "tags") {
      for row in rows.rows where place < row.count {
        guard case .text(let text) = row[place], let tags = TagList.tags(in: text), !tags.isEmpty
        else { throw refuse() }
      }
    }
    let named = [Tables.suppression, Tables.packTag, Tables.value, Tables.alias].map(\.name)
    if named.contains(rows.table), let place = rows.columns.firstIndex(of: "dimension") {
      for row in rows.rows where place < row.count {
        guard TagDimension.all.contains(where: { .text($0.table) == row[place] }) else {
          throw refuse()
        }
      }
    }
  }
}
