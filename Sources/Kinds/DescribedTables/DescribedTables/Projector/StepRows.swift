import CatalogModel
import Projections

/// The rows of a catalog with the changes of one event above them, which are written together or not at all.
final class StepRows<Base: RowStore> {
  private let base: Base
  private let program: KindProgram
  /// The changed rows of each table, by their keys. A removed row is nil.
  private var changed: [Int: [[Value]: [Value]?]] = [:]
  private var order: [(table: TableDescription, key: [Value])] = []

  init(_ base: Base, _ program: KindProgram) {
    self.base = base
    self.program = program
  }

  func row(in table: TableDescription, key: [Value]) throws -> [Value]? {
    if let row = changed[table.ordinal]?[key] { return row }
    return try base.row(in: table, key: key)
  }

  func put(_ row: [Value], in table: TableDescription) throws {
    note(table.key(of: row), row, in: table)
  }

  /// Removes a row, and those that go with it.
  func remove(key: [Value], from compiled: CompiledTable) throws {
    let table = compiled.table
    guard try row(in: table, key: key) != nil else { return }
    note(key, nil, in: table)
    try removeDependents(of: key, in: table)
  }

  /// Removes the rows that go with a row, and those that go with them.
  func removeDependents(of key: [Value], in table: TableDescription) throws {
    for cascade in program.cascades(of: table) {
      let column = cascade.index.description.columns[0]
      for row in try rows(in: cascade.child.table, where: [(column, key[0])]) {
        try remove(key: cascade.child.table.key(of: row), from: cascade.child)
      }
    }
  }

  /// The rows with some values in the columns of an index, in key order.
  func rows(
    in table: TableDescription, where wanted: [(place: Int, value: Value)]
  ) throws -> [[Value]] {
    let index = table.indexes.firstIndex {
      $0.condition == nil && $0.columns.count == wanted.count
        && Set($0.columns) == Set(wanted.map(\.place))
    }
    let order = index.map { table.indexes[$0].columns } ?? []
    let wanted = wanted.sorted {
      order.firstIndex(of: $0.place) ?? 0 < order.firstIndex(of: $1.place) ?? 0
    }
    let places = wanted.map(\.place)
    let values = wanted.map(\.value)
    let below =
      try index.map {
        try base.rows(by: IndexReference(table: table, ordinal: $0), equal: values)
      } ?? base.rows(in: table).filter { row in places.map { row[$0] } == values }
    guard let changed = changed[table.ordinal] else { return below }
    let above = changed.values.compactMap(\.self).filter { row in places.map { row[$0] } == values }
    return (below.filter { changed[table.key(of: $0)] == nil } + above)
      .sorted { table.key(of: $0).isBefore(table.key(of: $1)) }
  }

  private func note(_ key: [Value], _ row: [Value]?, in table: TableDescription) {
    if changed[table.ordinal, default: [:]].updateValue(row, forKey: key) == nil {
      order.append((table, key))
    }
  }

  /// Writes the changes.
  ///
  /// - Returns: the tables with changes.
  /// - Throws: `ProjectionError` with `contradiction` for a value that another row has in a column that is unique. Nothing
  ///   has changed then.
  func write() throws -> [TableDescription] {
    var tables: [TableDescription] = []
    var changes: [Int: [RowChange]] = [:]
    for (table, key) in order {
      guard let after = changed[table.ordinal]?[key] else { continue }
      if changes[table.ordinal] == nil { tables.append(table) }
      changes[table.ordinal, default: []].append(
        RowChange(table, key: key, before: try base.row(in: table, key: key), after: after))
    }
    for table in tables {
      try RowChange.requireUnique(changes[table.ordinal] ?? [], in: table, base)
    }
    for table in tables {
      let changes = changes[table.ordinal] ?? []
      try RowChange.write(changes, in: table, to: base)
      try program.table(of: table)?.search?.write(changes, to: base)
    }
    return tables
  }
}
