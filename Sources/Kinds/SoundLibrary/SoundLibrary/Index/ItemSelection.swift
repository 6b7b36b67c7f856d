import CatalogModel

/// The visible items of a kind that pass filters, found in an index.
struct ItemSelection {
  /// Items that pass, by whether they have changed since the index's arrays were made.
  struct Items {
    fileprivate(set) var unchanged: NumberSet
    fileprivate(set) var changed: [UInt32]
    let count: Int

    fileprivate init(_ unchanged: NumberSet, _ changed: [UInt32]) {
      self.unchanged = unchanged
      self.changed = changed
      count = unchanged.count + changed.count
    }

    /// The same less what is not in either.
    ///
    /// - Parameters:
    ///   - numbers: of unchanged items.
    ///   - isIn: of changed ones.
    func filtered(_ numbers: NumberSet, _ isIn: (UInt32) -> Bool) -> Items {
      var unchanged = unchanged
      unchanged.formIntersection(numbers)
      return Items(unchanged, changed.filter(isIn))
    }

    func forEachNumber(_ body: (UInt32) -> Void) {
      unchanged.forEachNumber(body)
      for number in changed { body(number) }
    }
  }

  /// Dimensions within which any of the chosen values will do.
  private struct Choice {
    let dimensions: [TagDimension]
    let values: Set<UInt32>
    let items: NumberSet
  }

  /// All items that have one of the values.
  static func items(with selection: TagSelection, _ index: SoundIndex) -> [UInt32] {
    let values = Set(
      TagDimension.all.flatMap { dimension in
        selection[dimension].compactMap { index.vocabularies.ordinal(of: $0, in: dimension) }
      })
    guard !values.isEmpty else { return [] }
    var numbers = NumberSet(below: index.taggings.limit)
    for value in values { index.taggings.add(itemsWith: value, to: &numbers) }
    if !index.changed.isEmpty { numbers.subtract(index.outdated) }
    var items = index.changed.filter { !values.isDisjoint(with: $0.value.values) }.map(\.key)
    numbers.forEachNumber { items.append($0) }
    return items
  }

  private let index: SoundIndex
  private let kinds: [Kind]
  private let filters: ResolvedFilters
  private let choices: [Choice]
  private let excluded: Set<UInt32>
  /// What passes whatever is chosen: visible, of the kind, without an excluded value.
  private let candidates: NumberSet

  init(_ query: ItemQuery, _ index: SoundIndex) {
    self.index = index
    filters = query.filters
    kinds = query.kind.map { [$0] } ?? Kind.allCases
    let taggings = index.taggings
    func items(_ values: Set<UInt32>) -> NumberSet {
      var numbers = NumberSet(below: taggings.limit)
      for value in values { taggings.add(itemsWith: value, to: &numbers) }
      return numbers
    }
    func values(_ selection: TagSelection, _ dimensions: [TagDimension]) -> Set<UInt32> {
      Set(
        dimensions.flatMap { dimension in
          selection[dimension].compactMap { index.vocabularies.ordinal(of: $0, in: dimension) }
        })
    }
    choices = query.groups.compactMap { dimensions in
      guard dimensions.contains(where: { !query.filters.included[$0].isEmpty }) else { return nil }
      let chosen = values(query.filters.included, dimensions)
      return Choice(dimensions: dimensions, values: chosen, items: items(chosen))
    }
    excluded = values(query.filters.excluded, TagDimension.all)
    var candidates = NumberSet(below: taggings.limit)
    for kind in kinds { candidates.formUnion(taggings.visible[kind.place]) }
    if !excluded.isEmpty { candidates.subtract(items(excluded)) }
    if !index.changed.isEmpty { candidates.subtract(index.outdated) }
    self.candidates = candidates
  }

  /// - Parameter part: what of the selection does not count.
  func items(without part: ItemQuery.Part? = nil) -> Items {
    var numbers = candidates
    let counted = choices.filter { choice in
      // A facet is counted for one kind, where each choice is about one dimension.
      guard case .dimension(let dimension)? = part else { return true }
      return choice.dimensions != [dimension]
    }
    for choice in counted { numbers.formIntersection(choice.items) }
    let isAvailabilityCounted = part != .availability && !filters.availability.isEmpty
    if isAvailabilityCounted { numbers.formIntersection(available) }
    let changed = index.changed.filter { _, facts in
      facts.isVisible && kinds.contains(facts.kind) && excluded.isDisjoint(with: facts.values)
        && counted.allSatisfy { !$0.values.isDisjoint(with: facts.values) }
        && (!isAvailabilityCounted || filters.availability.contains(Self.availability(of: facts)))
    }
    // In the order of numbers: hash order reaches nothing.
    return Items(numbers, changed.keys.sorted())
  }

  /// What has one of the chosen availabilities, in the index's arrays.
  private var available: NumberSet {
    let taggings = index.taggings
    var numbers = NumberSet(below: taggings.limit)
    for kind in kinds {
      for availability in filters.availability {
        var part = taggings.visible[kind.place]
        switch availability {
        case .requiresAppleMusic where kind == .music: break
        case .available where kind != .music: part.formIntersection(taggings.downloaded)
        case .notDownloaded where kind != .music: part.subtract(taggings.downloaded)
        default: continue
        }
        numbers.formUnion(part)
      }
    }
    return numbers
  }

  private static func availability(of facts: ItemFacts) -> Availability {
    guard facts.kind != .music else { return .requiresAppleMusic }
    return facts.isDownloaded ? .available : .notDownloaded
  }

  // MARK: Counting

  /// How many of the items have each value of some dimensions, by ordinal; what it says of other dimensions'
  /// values does not count.
  func valueCounts(of items: Items, in dimensions: [TagDimension], _ kind: Kind) -> [UInt32] {
    let vocabularies = index.vocabularies
    let wanted = dimensions.flatMap {
      vocabularies.named(in: $0) + vocabularies.unnamed(in: $0)
    }
    var counts = index.taggings.counts(
      of: wanted, over: items.unchanged, items.count - items.changed.count, kind)
    let missing = vocabularies.count - counts.count
    if missing > 0 { counts.append(contentsOf: repeatElement(0, count: missing)) }
    for number in items.changed {
      for value in index.changed[number]?.values ?? [] { counts[Int(value)] += 1 }
    }
    return counts
  }

  /// How many of the items have each availability.
  func availabilityCounts(of items: Items, _ kind: Kind) -> [Availability: Int] {
    guard kind != .music else { return [.requiresAppleMusic: items.count] }
    var here = items.unchanged
    here.formIntersection(index.taggings.downloaded)
    let count =
      here.count + items.changed.count { index.changed[$0]?.isDownloaded ?? false }
    return [.available: count, .notDownloaded: items.count - count]
  }
}
