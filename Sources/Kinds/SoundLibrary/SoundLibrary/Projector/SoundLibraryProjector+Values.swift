import CatalogModel
import Projections
import Support

/// Vocabularies: values, their names and what stands for them.
extension SoundLibraryProjector {
  func added(
    _ event: DimensionValueAdded, _ record: EventRecord, _ store: some RowStore
  ) throws {
    let dimension = event.dimension
    let table = Tables.values(of: dimension)
    if let old = try store.row(in: table, key: [.integer(event.id)]) {
      guard old[1] == .text(event.name) else {
        throw ProjectionError(
          .contradiction, "id \(event.id) of \(dimension.key) is taken by another value")
      }
      return
    }
    try requireFree(event.name, in: dimension, for: nil, store)
    guard try known(event.id, of: dimension, store) == nil else {
      throw ProjectionError(
        .contradiction, "id \(event.id) of \(dimension.key) was that of a value that was merged")
    }
    try store.put(
      [
        .integer(event.id), .text(event.name), .integer(event.sortOrder), .flag(event.isSystem),
        .time(record.at),
      ], in: table)
    let number = try nextKey(in: Tables.value, store)
    try store.put(
      [
        .integer(number), .text(dimension.table), .integer(event.id), .null,
        .text(SearchText(event.name).all),
      ], in: Tables.value)
  }

  func ordered(_ event: DimensionValueOrdered, _ store: some RowStore) throws {
    var row = try value(event.id, named: event.name, of: event.dimension, store)
    row[2] = .integer(event.sortOrder)
    row[3] = .flag(true)
    try store.put(row, in: Tables.values(of: event.dimension))
  }

  func renamed(_ event: DimensionValueRenamed, _ store: some RowStore) throws {
    let dimension = event.dimension
    let table = Tables.values(of: dimension)
    if try store.row(in: table, key: [.integer(event.id)])?[1] == .text(event.newName),
      try alias(event.name, of: dimension, store)?[2] == .integer(event.id)
    {
      return
    }
    var row = try value(event.id, named: event.name, of: dimension, store)
    try requireFree(event.newName, in: dimension, for: event.id, store)
    row[1] = .text(event.newName)
    try store.put(row, in: table)
    try store.remove(key: [.text(dimension.table), .text(event.newName)], from: Tables.alias)
    try putAlias(event.name, of: event.id, "renamed", in: dimension, store)
    if var known = try known(event.id, of: dimension, store) {
      known[4] = .text(SearchText(event.newName).all)
      try store.put(known, in: Tables.value)
    }
  }

  func aliased(_ event: DimensionValueAliased, _ store: some RowStore) throws {
    let dimension = event.dimension
    _ = try value(event.id, named: event.name, of: dimension, store)
    let named = try store.rows(by: Tables.valueByName(dimension), equal: [.text(event.alias)])
    guard named.isEmpty else {
      throw ProjectionError(
        .contradiction, "\(dimension.key) has a value \"\(event.alias)\": it cannot be an alias")
    }
    try putAlias(event.alias, of: event.id, "aliased", in: dimension, store)
  }

  func merged(_ event: DimensionValueMerged, _ store: some RowStore) throws {
    let dimension = event.dimension
    let table = Tables.values(of: dimension)
    var winner = try value(event.into, named: event.intoName, of: dimension, store)
    guard event.id != event.into else {
      throw ProjectionError(.contradiction, "a value cannot be merged into itself")
    }
    guard var known = try known(event.id, of: dimension, store) else {
      throw ProjectionError(.contradiction, "\(dimension.key) never had a value \(event.id)")
    }
    if known[3] == .integer(event.into) { return }
    let loser = try value(event.id, named: event.name, of: dimension, store)
    known[3] = .integer(event.into)
    known[4] = .text("")
    try store.put(known, in: Tables.value)

    try unite(event.id, with: event.into, of: dimension, store)
    try store.remove(key: [.integer(event.id)], from: table)
    if winner[2] == .null { winner[2] = loser[2] }
    if loser[3] == .flag(true) { winner[3] = .flag(true) }
    try store.put(winner, in: table)

    // What led to the lost value leads to the other one.
    for var earlier in try store.rows(
      by: Tables.valuesMergedInto, equal: [.text(dimension.table), .integer(event.id)])
    {
      earlier[3] = .integer(event.into)
      try store.put(earlier, in: Tables.value)
    }
    for row in try store.rows(
      by: Tables.aliasesOfValue, equal: [.text(dimension.table), .integer(event.id)])
    {
      guard case .text(let name) = row[1] else { continue }
      try putAlias(name, of: event.into, "merged", in: dimension, store)
    }
    try putAlias(event.name, of: event.into, "merged", in: dimension, store)
  }

  // MARK: Names

  /// The row of a value that must be there under this name.
  private func value(
    _ id: Int64, named name: String, of dimension: TagDimension, _ store: some RowStore
  ) throws -> [Value] {
    guard let row = try store.row(in: Tables.values(of: dimension), key: [.integer(id)]),
      row[1] == .text(name)
    else {
      throw ProjectionError(
        .contradiction, "\(dimension.key) has no value \"\(name)\" with id \(id)")
    }
    return row
  }

  /// The row of the value that a name means, by itself or as an alias.
  func value(
    meaning name: String, of dimension: TagDimension, _ store: some RowStore
  ) throws -> [Value] {
    if let row = try store.rows(by: Tables.valueByName(dimension), equal: [.text(name)]).first {
      return row
    }
    if let alias = try alias(name, of: dimension, store),
      let row = try store.row(in: Tables.values(of: dimension), key: [alias[2]])
    {
      return row
    }
    throw ProjectionError(.contradiction, "\(dimension.key) has no value \"\(name)\"")
  }

  /// - Parameter id: the value that is to have the name: its own alias is free for it.
  private func requireFree(
    _ name: String, in dimension: TagDimension, for id: Int64?, _ store: some RowStore
  ) throws {
    let named = try store.rows(by: Tables.valueByName(dimension), equal: [.text(name)])
    guard named.isEmpty else {
      throw ProjectionError(
        .contradiction, "\(dimension.key) has a value \"\(name)\" already, with another id")
    }
    if let alias = try alias(name, of: dimension, store), alias[2] != .integer(id) {
      throw ProjectionError(
        .contradiction, "\"\(name)\" is an alias of another value of \(dimension.key)")
    }
  }

  private func alias(
    _ name: String, of dimension: TagDimension, _ store: some RowStore
  ) throws -> [Value]? {
    try store.row(in: Tables.alias, key: [.text(dimension.table), .text(name)])
  }

  private func putAlias(
    _ name: String, of id: Int64, _ origin: String, in dimension: TagDimension,
    _ store: some RowStore
  ) throws {
    try store.put(
      [.text(dimension.table), .text(name), .integer(id), .text(origin)], in: Tables.alias)
  }

  /// The row of `projection_value` of an id, whether the value is still there or was merged.
  private func known(
    _ id: Int64, of dimension: TagDimension, _ store: some RowStore
  ) throws -> [Value]? {
    try store.rows(by: Tables.valueNumber, equal: [.text(dimension.table), .integer(id)]).first
  }
}
