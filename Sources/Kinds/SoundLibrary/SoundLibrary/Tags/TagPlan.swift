import CatalogModel
import CatalogStore
import Projections
import Support

/// Finds the events of a person's change of tags, against the rows at the log's head.
struct TagPlan {
  /// The source of people's own taggings, and what their events are by.
  static let source = SoundLibraryProjector.person

  private typealias Tables = SoundLibrarySchema

  private(set) var events: [SoundEvent] = []
  private let rows: ProvedRows
  private var vocabulary: VocabularyPlan

  init(_ rows: ProvedRows) {
    self.rows = rows
    vocabulary = VocabularyPlan(rows)
  }

  // MARK: Vocabularies

  /// The id of the value that a name means, by itself or as an alias.
  ///
  /// - Throws: `UnknownTagName`.
  mutating func id(of name: String, in dimension: TagDimension) throws -> Int64 {
    try value(named: name, in: dimension).id
  }

  mutating func rename(_ id: Int64, in dimension: TagDimension, to newName: String) throws {
    let name = try name(of: id, in: dimension)
    let newName = try checked(newName)
    // Compared by bytes: texts that only look the same are two names.
    if name.utf8.elementsEqual(newName.utf8) { return }
    if let other = try vocabulary.value(meaning: newName, in: dimension), other.id != id {
      let taken =
        other.origin == .name
        ? "\(dimension.key) has a value \"\(newName)\" already"
        : "\"\(newName)\" is an alias of \"\(other.name)\" in \(dimension.key)"
      throw CatalogError(
        .nameRefused,
        "\(taken); to merge the two: "
          + "\(do: .merge(name, into: other.name, in: dimension))")
    }
    events.append(
      .dimensionValueRenamed(
        DimensionValueRenamed(dimension: dimension, id: id, name: name, newName: newName)))
  }

  mutating func merge(_ id: Int64, into other: Int64, in dimension: TagDimension) throws {
    guard id != other else {
      throw CatalogError(
        .changeRefused, "a value cannot be merged into itself; name two values of \(dimension.key)")
    }
    events.append(
      .dimensionValueMerged(
        DimensionValueMerged(
          dimension: dimension, id: id, name: try name(of: id, in: dimension), into: other,
          intoName: try name(of: other, in: dimension))))
  }

  mutating func alias(_ alias: String, for id: Int64, in dimension: TagDimension) throws {
    let name = try name(of: id, in: dimension)
    let alias = try checked(alias)
    if let known = try vocabulary.value(meaning: alias, in: dimension) {
      guard known.origin != .name || known.id != id else {
        throw CatalogError(
          .nameRefused,
          "\(dimension.key) has a value \"\(alias)\": a value's own name cannot be its alias; name "
            + "another spelling that documents use")
      }
      guard known.origin != .name else {
        throw CatalogError(
          .nameRefused,
          "\(dimension.key) has a value \"\(alias)\": it cannot be an alias; to merge the two: "
            + "\(do: .merge(alias, into: name, in: dimension))")
      }
      if known.id == id { return }
    }
    events.append(
      .dimensionValueAliased(
        DimensionValueAliased(dimension: dimension, id: id, name: name, alias: alias)))
  }

  // MARK: Items

  mutating func add(_ tags: ItemTagNames, to item: EntityID) throws {
    let state = try state(of: item)
    var wanted = state.own
    for tag in try tags(state.kind) {
      let tag = try spelt(tag)
      try require(tag.dimension, of: state)
      if let value = try vocabulary.value(meaning: tag.name, in: tag.dimension) {
        let known = ItemTag(dimension: tag.dimension, value: value.id)
        wanted[known] = value.name
        if state.suppressed.contains(known) {
          append(
            .itemTagUnsuppressed(
              ItemTagSuppression(item: item, dimension: tag.dimension, name: value.name)))
        }
      } else {
        let added = try vocabulary.add(
          tag.name, to: tag.dimension, sortOrder: nil, isSystem: false)
        events.append(.dimensionValueAdded(added))
        wanted[ItemTag(dimension: tag.dimension, value: added.id)] = tag.name
      }
    }
    set(wanted, on: item, instead: state.own)
  }

  mutating func remove(_ tags: ItemTagNames, from item: EntityID) throws {
    let state = try state(of: item)
    var wanted = state.own
    for tag in try tags(state.kind) {
      let (known, name) = try existing(tag, of: state)
      guard wanted.removeValue(forKey: known) != nil else {
        let givers = state.givers[known] ?? []
        let advice: ErrorMessage =
          givers.isEmpty
          ? "\(do: .showItem(item)) shows its tags"
          : "it comes from \(givers.joined(separator: ", ")); \(do: .suppressTag) hides it"
        throw CatalogError(
          .changeRefused,
          "no person added to item \(item) \(tag.dimension.key) \"\(name)\"; \(advice)")
      }
    }
    set(wanted, on: item, instead: state.own)
  }

  mutating func suppress(_ tags: ItemTagNames, on item: EntityID) throws {
    let state = try state(of: item)
    for tag in try tags(state.kind) {
      let (known, name) = try existing(tag, of: state)
      if state.suppressed.contains(known) { continue }
      guard state.givers[known] != nil || state.own[known] != nil else {
        throw CatalogError(
          .changeRefused,
          "item \(item) has no \(tag.dimension.key) \"\(name)\"; "
            + "\(do: .showItem(item)) shows its tags")
      }
      append(
        .itemTagSuppressed(
          ItemTagSuppression(item: item, dimension: tag.dimension, name: name)))
    }
  }

  mutating func unsuppress(_ tags: ItemTagNames, on item: EntityID) throws {
    let state = try state(of: item)
    for tag in try tags(state.kind) {
      let (known, name) = try existing(tag, of: state)
      guard state.suppressed.contains(known) else {
        throw CatalogError(
          .changeRefused,
          "\(tag.dimension.key) \"\(name)\" is not suppressed on item \(item); "
            + "\(do: .showItem(item)) shows what is")
      }
      append(
        .itemTagUnsuppressed(
          ItemTagSuppression(item: item, dimension: tag.dimension, name: name)))
    }
  }

  /// A tag that is named twice in one call is one change.
  private mutating func append(_ event: SoundEvent) {
    if !events.contains(event) { events.append(event) }
  }

  private mutating func set(
    _ wanted: [ItemTag: String], on item: EntityID, instead own: [ItemTag: String]
  ) {
    guard wanted != own else { return }
    var tags = TagSet()
    for dimension in TagDimension.all {
      // A TagSet sorts: the order of a Dictionary reaches no event.
      tags[dimension] = wanted.filter { $0.key.dimension == dimension }.map(\.value)
    }
    events.append(.itemTagsSet(ItemTagsSet(item: item, source: Self.source, tags: tags)))
  }

  // MARK: What is there

  private struct ItemState {
    let id: EntityID
    let kind: Kind
    /// The person's own tags, with the names of their values.
    var own: [ItemTag: String] = [:]
    /// The other sources that give a tag, in the order of the alphabet.
    var givers: [ItemTag: [String]] = [:]
    var suppressed: Set<ItemTag> = []
  }

  private func state(of item: EntityID) throws -> ItemState {
    guard let kind = try rows.row(of: LibraryItem.table, key: item)?.kind,
      let number = try rows.number(of: item)
    else {
      throw CatalogError(
        .notFound, "there is no item \(item); \(do: .searchItems) finds items")
    }
    var state = ItemState(id: item, kind: kind)
    for tagging in try rows.rows(of: Tagging.table, by: Tagging.byItem, equal: number) {
      guard let source = try rows.row(of: NamedSource.table, key: tagging.sourceID)?.name else {
        throw ProjectionError(.drifted, "item \(item) has tags of an unknown source")
      }
      for tag in tagging.list.tags {
        if source == Self.source {
          state.own[tag] = try name(of: tag.value, in: tag.dimension)
        } else {
          state.givers[tag, default: []].append(source)
        }
      }
    }
    for tag in state.givers.keys { state.givers[tag]?.sort() }
    for row in try rows.rows(of: Suppression.table, by: Suppression.byItem, equal: number) {
      state.suppressed.insert(row.tag)
    }
    return state
  }

  private mutating func existing(
    _ tag: TagName, of state: ItemState
  ) throws -> (tag: ItemTag, name: String) {
    try require(tag.dimension, of: state)
    let value = try value(named: tag.name, in: tag.dimension)
    return (ItemTag(dimension: tag.dimension, value: value.id), value.name)
  }

  /// The value that a name means, by itself or as an alias: as it is spelt first, since older logs hold names that no
  /// rule would let in.
  private mutating func value(
    named name: String, in dimension: TagDimension
  ) throws -> VocabularyPlan.Value {
    if let value = try vocabulary.value(meaning: name, in: dimension) { return value }
    if let folded = try? TextRules.tagName(name),
      let value = try vocabulary.value(meaning: folded, in: dimension)
    {
      return value
    }
    throw UnknownTagName(dimension: dimension, name: name)
  }

  private func require(_ dimension: TagDimension, of state: ItemState) throws {
    guard dimension.kinds.contains(state.kind) else {
      throw CatalogError(
        .changeRefused,
        "item \(state.id) is of kind \(state.kind.rawValue), which has no \(dimension.key)")
    }
  }

  private func name(of id: Int64, in dimension: TagDimension) throws -> String {
    if let value = try rows.row(of: DimensionValue.table(of: dimension), key: id) {
      return value.name
    }
    throw CatalogError(
      .notFound,
      "\(dimension.key) has no value with id \(id); "
        + "\(do: .listNames(of: dimension)) lists them")
  }

  /// A name that the catalog has, as it is: rules are for new names, and older logs hold names that no
  /// rule would let in. Else the name by the rules.
  private mutating func spelt(_ tag: TagName) throws -> TagName {
    if try vocabulary.value(meaning: tag.name, in: tag.dimension) != nil { return tag }
    return TagName(tag.dimension, try checked(tag.name))
  }

  private func checked(_ name: String) throws -> String {
    do throws(TextProblem) {
      return try TextRules.tagName(name)
    } catch {
      throw CatalogError(
        .nameRefused,
        "the tag name \"\(JSONExcerpt.printable(name))\" \(error.message); \(error.advice)")
    }
  }
}
