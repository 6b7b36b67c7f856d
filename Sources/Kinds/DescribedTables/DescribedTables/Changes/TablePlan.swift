import CatalogEngine
import CatalogModel
import CatalogStore
import Projections

/// The events that bring a table to what a document has.
struct TablePlan {
  let difference: TableDifference
  let events: PlannedEvents<TableEvent>
  /// How many rows the document has.
  let rowCount: Int
  /// The most rows that an earlier document removed, if this one removes far more.
  let mostRemovedBefore: Int?

  /// - Parameters:
  ///   - document: which has the rows.
  ///   - rows: proved rows at the log's head, with the whole table.
  ///   - earlier: of the documents that were read into the table.
  ///   - asked: the rows of a source, if it is asked which of them the document lacks.
  /// - Throws: `DocumentError` if a new row lacks a column that it needs.
  init(
    _ documentRows: DocumentRows, of document: TableDocument, in compiled: CompiledTable,
    _ rows: ProvedRows, _ earlier: SourceRow?, asked: SourceRows? = nil
  ) throws {
    let comparison = TableComparison(
      documentRows, of: document, sourceKeys: asked?.keys(of: documentRows))
    let places = documentRows.columns.compactMap { compiled.table.index(of: $0.name) }
    var cells: [PackedCell] = []
    try rows.scan(compiled.table) { row in
      cells.removeAll(keepingCapacity: true)
      for place in places { cells.append(row[place]) }
      comparison.add(cells)
    }
    difference = try comparison.finish()
    try RowGroups.requireFitting(difference, of: document)
    rowCount = documentRows.count
    mostRemovedBefore = earlier?.mostGone(ifFarLessThan: difference.removed.count)
    events =
      if documentRows.table.key == .wholeRow {
        try Self.events(ofWholeRows: difference, compiled, rows)
      } else {
        try Self.events(difference, compiled, rows)
      }
  }

  // MARK: Tables with a key

  private static func events(
    _ difference: TableDifference, _ compiled: CompiledTable, _ rows: ProvedRows
  ) throws -> PlannedEvents<TableEvent> {
    let document = difference.rows
    let key = Array(document.columns.indices.prefix(document.keyCount))
    var events = [
      RowGroups.remove(
        difference.removed.map(\.key), key: key.map { document.columns[$0].name },
        from: compiled.table.name)
    ]
    let exchanged = try exchangedRows(difference, compiled, rows)
    if !exchanged.isEmpty {
      let columns = Set(
        difference.changed.filter { $0.rows.contains(where: exchanged.contains) }
          .flatMap(\.columns))
      events.append(
        RowGroups.put(
          exchanged.sorted(), of: document, at: key + columns.sorted(), isWhole: true))
    }
    for group in difference.changed {
      let others =
        exchanged.isEmpty ? group.rows : group.rows.filter { !exchanged.contains($0) }
      events.append(RowGroups.put(others, of: document, at: key + group.columns))
    }
    events.append(
      RowGroups.put(difference.added, of: document, at: Array(document.columns.indices)))
    return PlannedEvents(joining: events)
  }

  /// Changed rows that get a value of a unique column which another changed row has until then: they are written together.
  private static func exchangedRows(
    _ difference: TableDifference, _ compiled: CompiledTable, _ rows: ProvedRows
  ) throws -> Set<Int> {
    let document = difference.rows
    let unique = document.columns.indices.filter {
      document.columns[$0].isUnique && $0 >= document.keyCount
    }
    guard !unique.isEmpty else { return [] }
    let removed = Set(difference.removed.map(\.key))
    var exchanged: Set<Int> = []
    var isAny = false
    var candidates: Set<Int> = []
    for group in difference.changed {
      let columns = group.columns.filter(unique.contains)
      guard !columns.isEmpty else { continue }
      candidates.formUnion(group.rows)
      for row in group.rows where !isAny {
        for column in columns {
          let value = document.value(column, of: row)
          guard value != .null else { continue }
          let others = try rows.rows(
            by: compiled.index(of: document.columns[column].name), equal: [value])
          isAny = others.contains { !removed.contains(compiled.table.key(of: $0)) }
        }
      }
    }
    if isAny { exchanged = candidates }
    return exchanged
  }

  // MARK: Tables without a key

  /// A row without a key is new or gone as a whole.
  private static func events(
    ofWholeRows difference: TableDifference, _ compiled: CompiledTable, _ rows: ProvedRows
  ) throws -> PlannedEvents<TableEvent> {
    let (document, table) = (difference.rows, compiled.table)
    guard !difference.isEmpty else { return PlannedEvents() }
    // The keys of rows that are equal to a row of the difference, by the hash that all of them share.
    var taken: [Value: [(key: Value, row: [Value])]] = [:]
    for row in difference.added {
      taken[WholeRowKey.key(of: whole(document.values(Int(row)), document, compiled), number: 1)] =
        []
    }
    for removed in difference.removed {
      taken[WholeRowKey.key(of: whole(removed.key, document, compiled), number: 1)] = []
    }
    try rows.scan(table) { cells in
      let values = cells.dropFirst().map(\.value)
      let hash = WholeRowKey.key(of: values, number: 1)
      if taken[hash] != nil { taken[hash]?.append((cells[0].value, values)) }
    }
    // Of equal rows the last number goes first, in whichever order the table has them.
    for hash in taken.keys {
      taken[hash]?.sort { WholeRowKey.isBefore($0.key, $1.key) }
    }
    var gone: [[Value]] = []
    for removed in difference.removed {
      let hash = WholeRowKey.key(of: whole(removed.key, document, compiled), number: 1)
      if let last = taken[hash]?.popLast() { gone.append([last.key]) }
    }
    gone.sort { $0.isBefore($1) }
    var added: [[Value]] = []
    var numbers: [Value: FreeNumbers] = [:]
    for row in difference.added {
      let values = whole(document.values(Int(row)), document, compiled)
      let hash = WholeRowKey.key(of: values, number: 1)
      let key = numbers[hash, default: FreeNumbers(taken[hash, default: []].map(\.key))]
        .takeKey(of: hash)
      added.append([key] + values)
    }
    let names = table.columns.map(\.name)
    return PlannedEvents(joining: [
      RowGroups.remove(gone, key: [CompiledTable.hiddenKey], from: table.name),
      RowGroups.put(added, columns: names, in: table.name),
    ])
  }

  /// The values of all columns of the table but the hidden key.
  private static func whole(
    _ values: [Value], _ document: DocumentRows, _ compiled: CompiledTable
  ) -> [Value] {
    var whole = Array(compiled.absent.dropFirst())
    for (column, value) in zip(document.columns, values) {
      if let place = compiled.table.index(of: column.name) { whole[place - 1] = value }
    }
    return whole
  }
}

/// The numbers of equal rows that are free. There may be very many of them.
private struct FreeNumbers {
  private let taken: Set<Value>
  private var next = 1

  init(_ taken: [Value]) {
    self.taken = Set(taken)
  }

  /// The key with the least free number, which is taken then.
  ///
  /// - Parameter first: the key of the first of the equal rows.
  mutating func takeKey(of first: Value) -> Value {
    while taken.contains(WholeRowKey.key(after: first, number: next)) { next += 1 }
    defer { next += 1 }
    return WholeRowKey.key(after: first, number: next)
  }
}
