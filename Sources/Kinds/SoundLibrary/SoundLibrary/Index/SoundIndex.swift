import CatalogModel
import CatalogStore
import GRDB

/// Items and their values in memory, as they are at one state of the database: what answers filters,
/// facets and pages without reading rows.
///
/// A value, so that queries which began earlier go on with what they have. Nothing in it is stored
/// anywhere: it is made from the rows and thrown away. `ItemQuery`, `FacetQuery` and `ItemList` answer the
/// same from SQL alone.
struct SoundIndex: Sendable {
  private(set) var mark: IndexMark
  private(set) var vocabularies: Vocabularies
  private(set) var taggings: Taggings
  /// By number; no item has number 0.
  private(set) var ids: [EntityID]
  /// The facts of items that have changed since `taggings` was made: what it says of them does not count.
  private(set) var changed: [UInt32: ItemFacts] = [:]
  /// Those of them that `taggings` has.
  private(set) var outdated: NumberSet
  private var sortKeys: [Sort.Key: SortKeys] = [:]
  /// Made by the first search.
  private(set) var words: WordIndex?
  /// The texts of items that have changed since `words` was made.
  private(set) var changedWords: [UInt32: ItemWords] = [:]

  /// What a question needs beside tags.
  struct Parts {
    /// The order that a page is wanted in.
    var order: Sort.Key?
    var words = false
    /// Whether it is worth making what is not there yet. SQL answers some questions as quickly.
    var isMade = true

    static let tags = Parts()
  }

  init(_ mark: IndexMark, _ database: Database) throws {
    var reader = try TaggingsReader(database, at: mark)
    taggings = try reader.read()
    vocabularies = reader.vocabularies
    ids = reader.ids
    outdated = NumberSet(below: taggings.limit)
    self.mark = mark
  }

  func keys(_ key: Sort.Key) -> SortKeys? { sortKeys[key] }

  func has(_ parts: Parts) -> Bool {
    (parts.order.map { sortKeys[$0] != nil } ?? true) && (!parts.words || words != nil)
  }

  mutating func make(_ parts: Parts, _ database: Database) throws {
    guard parts.isMade else { return }
    if let key = parts.order, sortKeys[key] == nil {
      sortKeys[key] = try SortKeys(key, count: ids.count, database)
    }
    if parts.words, words == nil { words = try WordIndex(count: ids.count, database) }
  }

  // MARK: Going on

  /// So many changed items are looked at one by one; more are worth new arrays.
  private var room: Int { max(1_024, taggings.limit / 256) }

  /// The index at a later state of the database.
  ///
  /// - Parameter changes: of all transactions in between.
  func advanced(
    to mark: IndexMark, _ changes: ChangeJournal.Changes, _ database: Database
  ) throws -> SoundIndex {
    var index = self
    index.mark = mark
    if changes.touchesVocabularies { try index.vocabularies.reload(database) }
    var items: [(number: UInt32, id: EntityID)] = []
    // In any order: what is read of one item does not depend on the others.
    for id in changes.items {
      // A revert may remove items, which is seldom: another one may have the number by now.
      guard let (number, facts) = try ItemFacts.read(id, &index.vocabularies, database) else {
        return try SoundIndex(mark, database)
      }
      guard
        mark.canHave(
          itemNumber: Int64(number), next: ids.count + changes.items.count - 1)
      else {
        throw StoreError.changedByHand("projection_item")
      }
      index.changed[number] = facts
      if number < taggings.limit { index.outdated.insert(number) }
      items.append((number, id))
    }
    let count = max(ids.count, Int(items.map(\.number).max() ?? 0) + 1)
    if count > ids.count {
      let missing = EntityID(high: 0, low: 0)
      index.ids.append(contentsOf: repeatElement(missing, count: count - ids.count))
    }
    for (number, id) in items { index.ids[Int(number)] = id }
    index.sortKeys = try sortKeys.compactMapValues {
      try $0.changed(items, count: count, database)
    }
    if words != nil {
      for (number, _) in items {
        index.changedWords[number] = try ItemWords.read(number, database)
      }
      if index.changedWords.count > room {
        index.words = nil
        index.changedWords = [:]
      }
    }
    if index.changed.count > room { index.settle() }
    return index
  }

  /// Makes taggings of which nothing is outdated.
  private mutating func settle() {
    var visible = taggings.visible.map { old in
      var set = NumberSet(below: ids.count)
      old.forEachNumber { if !outdated.contains($0) { set.insert($0) } }
      return set
    }
    var downloaded = NumberSet(below: ids.count)
    taggings.downloaded.forEachNumber { if !outdated.contains($0) { downloaded.insert($0) } }
    var offsets: [UInt32] = [0]
    offsets.reserveCapacity(ids.count + 1)
    var values: [UInt32] = []
    for number in 0..<UInt32(ids.count) {
      if let facts = changed[number] {
        values.append(contentsOf: facts.values)
        if facts.isVisible { visible[facts.kind.place].insert(number) }
        if facts.isDownloaded { downloaded.insert(number) }
      } else if number < taggings.limit {
        values.append(contentsOf: taggings.values(of: number))
      }
      offsets.append(UInt32(values.count))
    }
    taggings = Taggings(
      visible: visible, downloaded: downloaded, offsets: offsets, values: values,
      valueCount: vocabularies.count)
    changed = [:]
    outdated = NumberSet(below: taggings.limit)
  }
}
