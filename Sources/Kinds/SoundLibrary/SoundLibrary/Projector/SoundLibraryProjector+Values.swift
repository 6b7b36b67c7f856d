import CatalogModel
import Projections
import Support

/// Vocabularies: values, their names and what stands for them.
extension SoundLibraryProjector {
  func added(
    _ event: DimensionValueAdded, _ record: SoundEventRecord, _ store: some RowStore
  ) throws {
    let dimension = event.dimension
    let table = DimensionValue.table(of: dimension)
    if let old = try store.row(of: table, key: event.id) {
      guard old.name == event.name else {
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
      DimensionValue(
        id: event.id, name: event.name, sortOrder: event.sortOrder, isSystem: event.isSystem,
        createdAt: record.at),
      in: table)
    try store.put(
      KnownValue(
        number: try nextKey(in: Tables.value, store),
        tag: ItemTag(dimension: dimension, value: event.id), mergedInto: nil,
        words: SearchText(event.name).all),
      in: KnownValue.table)
  }

  func ordered(_ event: DimensionValueOrdered, _ store: some RowStore) throws {
    var value = try value(event.id, named: event.name, of: event.dimension, store)
    value.sortOrder = event.sortOrder
    value.isSystem = true
    try store.put(value, in: DimensionValue.table(of: event.dimension))
  }

  func renamed(_ event: DimensionValueRenamed, _ store: some RowStore) throws {
    let dimension = event.dimension
    let table = DimensionValue.table(of: dimension)
    if try store.row(of: table, key: event.id)?.name == event.newName,
      try alias(event.name, of: dimension, store)?.valueID == event.id
    {
      return
    }
    var value = try value(event.id, named: event.name, of: dimension, store)
    try requireFree(event.newName, in: dimension, for: event.id, store)
    value.name = event.newName
    try store.put(value, in: table)
    try store.remove(of: ValueAlias.table, key: dimension, event.newName)
    try putAlias(event.name, of: event.id, "renamed", in: dimension, store)
    if var known = try known(event.id, of: dimension, store) {
      known.words = SearchText(event.newName).all
      try store.put(known, in: KnownValue.table)
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

  /// Removes the value. `unite`, in the file of tags, gives its items the other one.
  func merged(_ event: DimensionValueMerged, _ store: some RowStore) throws {
    let dimension = event.dimension
    let table = DimensionValue.table(of: dimension)
    var winner = try value(event.into, named: event.intoName, of: dimension, store)
    guard event.id != event.into else {
      throw ProjectionError(.contradiction, "a value cannot be merged into itself")
    }
    guard var known = try known(event.id, of: dimension, store) else {
      throw ProjectionError(.contradiction, "\(dimension.key) never had a value \(event.id)")
    }
    if known.mergedInto == event.into { return }
    let loser = try value(event.id, named: event.name, of: dimension, store)
    known.mergedInto = event.into
    known.words = ""
    try store.put(known, in: KnownValue.table)

    try unite(event.id, with: event.into, of: dimension, store)
    try store.remove(of: table, key: event.id)
    if winner.sortOrder == nil { winner.sortOrder = loser.sortOrder }
    if loser.isSystem { winner.isSystem = true }
    try store.put(winner, in: table)

    // What led to the lost value leads to the other one.
    for var earlier in try store.rows(
      of: KnownValue.table, by: KnownValue.byMerge, equal: dimension, event.id)
    {
      earlier.mergedInto = event.into
      try store.put(earlier, in: KnownValue.table)
    }
    for alias in try store.rows(
      of: ValueAlias.table, by: ValueAlias.byValue, equal: dimension, event.id)
    {
      try putAlias(alias.name, of: event.into, "merged", in: dimension, store)
    }
    try putAlias(event.name, of: event.into, "merged", in: dimension, store)
  }

  // MARK: Names

  /// The row of a value that must be there under this name.
  private func value(
    _ id: Int64, named name: String, of dimension: TagDimension, _ store: some RowStore
  ) throws -> DimensionValue {
    guard let value = try store.row(of: DimensionValue.table(of: dimension), key: id),
      value.name == name
    else {
      throw ProjectionError(
        .contradiction, "\(dimension.key) has no value \"\(name)\" with id \(id)")
    }
    return value
  }

  /// The row of the value that a name means, by itself or as an alias.
  func value(
    meaning name: String, of dimension: TagDimension, _ store: some RowStore
  ) throws -> DimensionValue {
    let table = DimensionValue.table(of: dimension)
    if let value = try store.rows(of: table, where: \.name, is: name).first { return value }
    if let alias = try alias(name, of: dimension, store),
      let value = try store.row(of: table, key: alias.valueID)
    {
      return value
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
    if let alias = try alias(name, of: dimension, store), alias.valueID != id {
      throw ProjectionError(
        .contradiction, "\"\(name)\" is an alias of another value of \(dimension.key)")
    }
  }

  private func alias(
    _ name: String, of dimension: TagDimension, _ store: some RowStore
  ) throws -> ValueAlias? {
    try store.row(of: ValueAlias.table, key: dimension, name)
  }

  private func putAlias(
    _ name: String, of id: Int64, _ origin: String, in dimension: TagDimension,
    _ store: some RowStore
  ) throws {
    try store.put(
      ValueAlias(dimension: dimension, name: name, valueID: id, origin: origin),
      in: ValueAlias.table)
  }

  /// The row of `projection_value` of an id, whether the value is still there or was merged.
  private func known(
    _ id: Int64, of dimension: TagDimension, _ store: some RowStore
  ) throws -> KnownValue? {
    try store.rows(of: KnownValue.table, by: KnownValue.byTag, equal: dimension, id).first
  }
}
