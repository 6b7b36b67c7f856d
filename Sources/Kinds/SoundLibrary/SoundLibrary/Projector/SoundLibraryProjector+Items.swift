import CatalogModel
import Projections

extension SoundLibraryProjector {
  func upserted(
    _ event: ItemUpserted, _ texts: ItemTexts?, _ record: SoundEventRecord, _ store: some RowStore
  ) throws {
    let content: [Value] = [
      .text(event.kind.rawValue), .text(event.title), .text(event.subtitle),
      .real(event.duration), .text(event.artworkURL),
    ]
    if var row = try store.row(in: Tables.libraryItem, key: [.id(event.id)]) {
      guard row[LibraryItemColumn.kind] == content[0] else {
        throw ProjectionError(
          .contradiction, "item \(event.id) cannot become \(event.kind.rawValue)")
      }
      guard Array(row[1...5]) != content else { return }
      row.replaceSubrange(1...5, with: content)
      row[LibraryItemColumn.updatedAt] = .time(record.at)
      try store.put(row, in: Tables.libraryItem)
      try put(texts ?? ItemTexts(event), number: try number(of: event.id, store), store)
      return
    }
    let source = try sourceID(record.by, store)
    let number = try nextKey(in: Tables.item, store)
    try store.put(
      [.id(event.id)] + content + [.integer(1), .time(record.at), .time(record.at)],
      in: Tables.libraryItem)
    try store.put(
      [.integer(number), .id(event.id), .integer(source), content[0], .flag(true)], in: Tables.item)
    try put(texts ?? ItemTexts(event), number: number, store)
    try countVisible(1, of: event.kind, store)
  }

  /// Adds to the number of visible items of a kind.
  func countVisible(_ change: Int64, of kind: Kind, _ store: some RowStore) throws {
    let kind = Value.text(kind.rawValue)
    var count: Int64 = 0
    if case .integer(let known)? = try store.row(in: Tables.kind, key: [kind])?[1] { count = known }
    try store.put([kind, .integer(try Self.sum(count, change, Tables.kind))], in: Tables.kind)
  }

  func put(_ texts: ItemTexts, number: Int64, _ store: some RowStore) throws {
    try store.put(
      [
        .integer(number), .text(texts.title.words), .text(texts.title.variants),
        .text(texts.subtitle),
      ], in: Tables.itemText)
  }

  func visibilityChanged(
    _ event: ItemVisibilityChanged, _ record: SoundEventRecord, _ store: some RowStore
  ) throws {
    var row = try item(event.id, store)
    guard row.isVisible != event.isVisible else { return }
    row.isVisible = event.isVisible
    row.updatedAt = record.at
    try store.put(row, in: LibraryItem.table)
    let number = try number(of: event.id, store)
    if var item = try store.row(of: NumberedItem.table, key: number) {
      item.isVisible = event.isVisible
      try store.put(item, in: NumberedItem.table)
    }
    try countVisible(event.isVisible ? 1 : -1, of: row.kind, store)
  }

  func number(of id: EntityID, _ store: some RowStore) throws -> Int64 {
    guard
      case .integer(let number)? = try store.value(
        ItemColumn.number, by: NumberedItem.byItem, equal: [.id(id)])
    else { throw ProjectionError(.drifted, "item \(id) has no number") }
    return number
  }

  func kind(of id: EntityID, _ store: some RowStore) throws -> Kind {
    guard
      let value = try store.value(
        LibraryItemColumn.kind, in: Tables.libraryItem, key: [.id(id)])
    else {
      throw ProjectionError(.contradiction, "there is no item \(id)")
    }
    guard case .text(let name) = value, let kind = Kind(rawValue: name) else {
      throw ProjectionError(.drifted, "item \(id) has no kind")
    }
    return kind
  }

  private func item(_ id: EntityID, _ store: some RowStore) throws -> LibraryItem {
    guard let row = try store.row(of: LibraryItem.table, key: id) else {
      throw ProjectionError(.contradiction, "there is no item \(id)")
    }
    return row
  }

  func item(_ id: EntityID, of kind: Kind, _ store: some RowStore) throws {
    guard try self.kind(of: id, store) == kind else {
      throw ProjectionError(.contradiction, "item \(id) is not of kind \(kind.rawValue)")
    }
  }
}
