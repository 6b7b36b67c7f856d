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
        if case .id(let id)? = row.after?[0] { items.insert(id) }
      } else if row.table === Tables.item {
        if case .id(let id)? = row.after?[1] { items.insert(id) }
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
    guard let row = try store.row(in: Tables.libraryItem, key: [.id(id)]),
      var own = try store.rows(by: Tables.itemByID, equal: [.id(id)]).first,
      case .integer(let number) = own[0]
    else { return }
    if case .text(let title) = row[LibraryItemColumn.title] {
      let subtitle = String(columnValue: row[LibraryItemColumn.subtitle])
      try put(ItemTexts(title: title, subtitle: subtitle), number: number, store)
    }
    let old = (kind: own[ItemColumn.kind], isVisible: own[ItemColumn.isVisible])
    let new = (
      kind: row[LibraryItemColumn.kind], isVisible: row[LibraryItemColumn.isVisible]
    )
    guard old != new else { return }
    if old.isVisible == .flag(true) { try countVisible(-1, of: old.kind, store) }
    own[ItemColumn.kind] = new.kind
    own[ItemColumn.isVisible] = new.isVisible
    try store.put(own, in: Tables.item)
    if new.isVisible == .flag(true) { try countVisible(1, of: new.kind, store) }
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
    given.subtract(try suppressions(of: number, store))
    for tag in tags.sorted() {
      let key: [Value] = [.id(item), .integer(tag.value)]
      if given.contains(tag) {
        try store.put(key, in: Tables.join(of: tag.dimension))
      } else {
        try store.remove(key: key, from: Tables.join(of: tag.dimension))
      }
    }
  }

  /// A row that was written by hand into a log may hold what no projector writes or reads.
  private func requireReadable(_ rows: RestoredRows, _ record: SoundEventRecord) throws {
    guard !Tables.reversalRules.derived.contains(where: { $0.name == rows.table }) else {
      throw ProjectionError(.contradiction, "the rows of \(rows.table) follow from others")
    }
    let readable = Self.readable[rows.table] ?? [:]
    for (place, column) in rows.columns.enumerated() {
      for row in rows.rows where place < row.count {
        guard readable[column]?(row[place], record.sequence) ?? true else {
          throw ProjectionError(
            .contradiction, "a row of \(rows.table) holds what is never written there")
        }
      }
    }
  }

  /// Tests of the values that columns hold, by table and column, beyond their types.
  private static let readable: [String: [String: @Sendable (Value, UInt64) -> Bool]] = {
    typealias Readable = @Sendable (Value, UInt64) -> Bool
    func one(of texts: [String]) -> Readable {
      { value, _ in texts.contains { .text($0) == value } }
    }
    let flag: Readable = { value, _ in value == .flag(true) || value == .flag(false) }
    let kind = one(of: Kind.allCases.map(\.rawValue))
    // No log counts further than it has events.
    let count: Readable = { value, sequence in
      if case .integer(let number) = value {
        number > 0 && UInt64(number) <= sequence
      } else {
        false
      }
    }
    return [
      Tables.libraryItem.name: ["kind": kind, "is_visible": flag],
      Tables.item.name: ["kind": kind, "is_visible": flag, "number": count],
      Tables.tagging.name: [
        "tags": { value, _ in
          if case .text(let text) = value {
            TagList.tags(in: text)?.isEmpty == false
          } else {
            false
          }
        }
      ],
      Tables.value.name: ["number": count],
    ]
  }()
}
