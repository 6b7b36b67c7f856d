import CatalogModel
import Projections
import Support

/// Who gives an item which tag. The join tables hold the union over all sources less what a person
/// suppressed.
extension SoundLibraryProjector {
  /// The source that people's own taggings have.
  static let person = "person"

  /// Replaces what one source says of one item.
  func tagsSet(_ event: ItemTagsSet, _ store: some RowStore) throws {
    let named = try values(event.tags, of: kind(of: event.item, store), store)
    if event.source != Self.person { try makeSystem(named.own, store) }
    try give(named.tags, by: event.source, to: event.item, store)
  }

  /// The values that a tag set names.
  struct NamedValues {
    var tags: Set<ItemTag> = []
    /// Those that are not of the system: a person made them.
    var own: [ItemTag] = []
  }

  /// Finds the values that a tag set names; changes nothing.
  ///
  /// - Throws: `ProjectionError` with `contradiction` for a dimension that the kind does not have, and for a
  ///   name that is no value's.
  func values(
    _ tags: TagSet, of kind: Kind, _ store: some RowStore
  ) throws -> NamedValues {
    var values = NamedValues()
    let dimensions = TagDimension.all(of: kind)
    try tags.forEachValue { dimension, name in
      guard dimensions.contains(dimension) else {
        throw ProjectionError(
          .contradiction, "what is \(kind.rawValue) has no \(dimension.key)")
      }
      let named = Tables.valueByName(dimension)
      // Nearly every name is that of a value which is one of the system already.
      if case .integer(let id)? = try store.value(
        ValueColumn.id, by: named, equal: [.text(name)]),
        try store.value(ValueColumn.isSystem, in: named.table, key: [.integer(id)]) == .flag(true)
      {
        values.tags.insert(ItemTag(dimension: dimension, value: id))
        return
      }
      let value = try value(meaning: name, of: dimension, store)
      let tag = ItemTag(dimension: dimension, value: value.id)
      if !value.isSystem { values.own.append(tag) }
      values.tags.insert(tag)
    }
    return values
  }

  /// A document names these values: they are of the system from now on.
  func makeSystem(_ tags: [ItemTag], _ store: some RowStore) throws {
    for tag in tags {
      let table = DimensionValue.table(of: tag.dimension)
      guard var value = try store.row(of: table, key: tag.value) else { continue }
      value.isSystem = true
      try store.put(value, in: table)
    }
  }

  /// Makes these tags, and no others, what a source gives an item. The order of a Set reaches no row:
  /// rows have keys, and to put and remove other rows commutes.
  func give(
    _ tags: Set<ItemTag>, by sourceName: String, to item: EntityID, _ store: some RowStore
  ) throws {
    let number = try number(of: item, store)
    let source = try sourceID(sourceName, store)
    var own: Set<ItemTag> = []
    var others: Set<ItemTag> = []
    for row in try store.rows(by: Tagging.byItem, equal: [.integer(number)]) {
      let given = try TagList.tags(of: row)
      if row[TaggingColumn.sourceID] == .integer(source) {
        own.formUnion(given)
      } else {
        others.formUnion(given)
      }
    }
    guard own != tags else { return }
    let suppressed = try suppressions(of: number, store)
    try putTagging(number, source, tags, store)
    for tag in tags where !own.contains(tag) {
      if !others.contains(tag), !suppressed.contains(tag) {
        try show(tag, of: item, store)
      }
    }
    for tag in own where !tags.contains(tag) {
      if !others.contains(tag) {
        try hide(tag, of: item, store)
      }
    }
  }

  /// Puts the row of a `ShownTag`, as an array: an import puts several for each item, and made of structs they cost a rebuild a
  /// tenth of its time.
  func show(_ tag: ItemTag, of item: EntityID, _ store: some RowStore) throws {
    try store.put([.id(item), .integer(tag.value)], in: Tables.join(of: tag.dimension))
  }

  func hide(_ tag: ItemTag, of item: EntityID, _ store: some RowStore) throws {
    try store.remove(key: [.id(item), .integer(tag.value)], from: Tables.join(of: tag.dimension))
  }

  private func putTagging(
    _ number: Int64, _ source: Int64, _ tags: Set<ItemTag>, _ store: some RowStore
  ) throws {
    let key: [Value] = [.integer(number), .integer(source)]
    if tags.isEmpty {
      try store.remove(key: key, from: Tables.tagging)
    } else {
      try store.put(key + [.text(TagList.text(of: tags))], in: Tables.tagging)
    }
  }

  func suppressed(_ event: ItemTagSuppression, _ store: some RowStore) throws {
    let (number, tag) = try tag(event, store)
    try store.put(Suppression(itemNumber: number, tag: tag), in: Suppression.table)
    try hide(tag, of: event.item, store)
  }

  func unsuppressed(_ event: ItemTagSuppression, _ store: some RowStore) throws {
    let (number, tag) = try tag(event, store)
    try store.remove(of: Suppression.table, key: number, tag.dimension, tag.value)
    let given = try store.rows(of: Tagging.table, by: Tagging.byItem, equal: number)
    if given.contains(where: { $0.list.tags.contains(tag) }) {
      try show(tag, of: event.item, store)
    }
  }

  /// Makes every item that one value is given to, given the other instead, by the same sources.
  func unite(
    _ lost: Int64, with value: Int64, of dimension: TagDimension, _ store: some RowStore
  ) throws {
    let shown = ShownTag.table(of: dimension)
    for row in try store.rows(of: shown, by: ShownTag.byValue(dimension), equal: lost) {
      let item = row.itemID
      let number = try number(of: item, store)
      try give(value, insteadOf: lost, of: dimension, to: number, store)
      try store.remove(of: shown, key: item, lost)
      try store.put(ShownTag(itemID: item, value: value), in: shown)
      // The item showed one of the two: it shows the value that both are now.
      try store.remove(of: Suppression.table, key: number, dimension, value)
    }
    let tag = ItemTag(dimension: dimension, value: value)
    for row in try store.rows(
      of: Suppression.table, by: Suppression.byValue, equal: dimension, lost)
    {
      let number = row.itemNumber
      guard let item = try store.row(of: NumberedItem.table, key: number)?.itemID else { continue }
      try give(value, insteadOf: lost, of: dimension, to: number, store)
      try store.remove(of: Suppression.table, key: number, dimension, lost)
      if try store.row(of: shown, key: item, value) == nil {
        try store.put(Suppression(itemNumber: number, tag: tag), in: Suppression.table)
      }
    }
    for row in try store.rows(of: PackTag.table, by: PackTag.byValue, equal: dimension, lost) {
      try store.remove(of: PackTag.table, key: row.packID, dimension, lost)
      try store.put(PackTag(packID: row.packID, tag: tag), in: PackTag.table)
    }
  }

  private func give(
    _ value: Int64, insteadOf lost: Int64, of dimension: TagDimension, to number: Int64,
    _ store: some RowStore
  ) throws {
    for row in try store.rows(of: Tagging.table, by: Tagging.byItem, equal: number) {
      var tags = Set(row.list.tags)
      guard tags.remove(ItemTag(dimension: dimension, value: lost)) != nil else { continue }
      tags.insert(ItemTag(dimension: dimension, value: value))
      try putTagging(number, row.sourceID, tags, store)
    }
  }

  private func tag(
    _ event: ItemTagSuppression, _ store: some RowStore
  ) throws -> (number: Int64, tag: ItemTag) {
    let kind = try kind(of: event.item, store)
    guard event.dimension.kinds.contains(kind) else {
      throw ProjectionError(
        .contradiction,
        "item \(event.item) is \(kind.rawValue): it has no \(event.dimension.key)")
    }
    let value = try value(meaning: event.name, of: event.dimension, store)
    let tag = ItemTag(dimension: event.dimension, value: value.id)
    return (try number(of: event.item, store), tag)
  }

  func suppressions(of number: Int64, _ store: some RowStore) throws -> Set<ItemTag> {
    Set(try store.rows(of: Suppression.table, by: Suppression.byItem, equal: number).map(\.tag))
  }
}
