import CatalogModel

/// Which items have which values, by item and by value; and what else filters ask of an item.
///
/// Items are numbers below `limit`. Values of an item lie one after the other in one array, and so do the
/// items of a value, or they are a set of bits where that is smaller: memory grows with the taggings, not
/// with items times values. Immutable: what changes later lies beside it (`SoundIndex.changed`).
final class Taggings: Sendable {
  let limit: Int
  /// Visible items, by kind.
  let visible: [NumberSet]
  let downloaded: NumberSet
  /// Where the values of each item begin; one more than there are items.
  private let offsets: [UInt32]
  private let values: [UInt32]
  /// Where the items of each value begin; one more than there are values. Empty for those in `frequent`.
  private let postingOffsets: [UInt32]
  private let postings: [UInt32]
  private let frequent: [UInt32: NumberSet]
  /// How many visible items of a kind have each value.
  private let totals: [[UInt32]]

  /// A set of bits is the smaller list from so many items on.
  private static func isFrequent(_ count: Int, of limit: Int) -> Bool {
    count * 32 >= limit && count > 0
  }

  /// - Parameters:
  ///   - offsets: where the values of each item begin in `values`, and where the last one's end.
  ///   - values: ordinals below `valueCount`, each at most once an item.
  init(
    visible: [NumberSet], downloaded: NumberSet, offsets: [UInt32], values: [UInt32],
    valueCount: Int
  ) {
    let limit = offsets.count - 1
    self.limit = limit
    self.visible = visible
    self.downloaded = downloaded
    self.offsets = offsets
    self.values = values
    var kinds = Array(repeating: UInt8(visible.count), count: limit)
    for (kind, numbers) in visible.enumerated() {
      numbers.forEachNumber { kinds[Int($0)] = UInt8(kind) }
    }
    // One more than there are kinds, for items that are hidden.
    var totals = Array(repeating: UInt32(0), count: (visible.count + 1) * valueCount)
    totals.withUnsafeMutableBufferPointer { totals in
      for number in 0..<limit {
        let first = Int(kinds[number]) * valueCount
        for place in Int(offsets[number])..<Int(offsets[number + 1]) {
          totals[first + Int(values[place])] += 1
        }
      }
    }
    var postingOffsets: [UInt32] = [0]
    postingOffsets.reserveCapacity(valueCount + 1)
    var end: UInt32 = 0
    /// Sets of frequent values, and the place there of each; `noSet` of the others.
    var sets: [NumberSet] = []
    var places: [Int] = []
    let noSet = -1
    for value in 0..<valueCount {
      let size = (0...visible.count).reduce(0) { $0 + Int(totals[$1 * valueCount + value]) }
      if Self.isFrequent(size, of: limit) {
        places.append(sets.count)
        sets.append(NumberSet(below: limit))
      } else {
        places.append(noSet)
        end += UInt32(size)
      }
      postingOffsets.append(end)
    }
    var ends = postingOffsets
    postings = [UInt32](unsafeUninitializedCapacity: Int(end)) { postings, count in
      for number in 0..<UInt32(limit) {
        for place in Int(offsets[Int(number)])..<Int(offsets[Int(number) + 1]) {
          let value = Int(values[place])
          if places[value] == noSet {
            postings[Int(ends[value])] = number
            ends[value] += 1
          } else {
            sets[places[value]].insert(number)
          }
        }
      }
      count = Int(end)
    }
    self.postingOffsets = postingOffsets
    frequent = Dictionary(
      uniqueKeysWithValues: places.indices.filter { places[$0] != noSet }
        .map { (UInt32($0), sets[places[$0]]) })
    self.totals = visible.indices.map { kind in
      Array(totals[kind * valueCount..<(kind + 1) * valueCount])
    }
  }

  /// The values of an item.
  func values(of number: UInt32) -> ArraySlice<UInt32> {
    values[Int(offsets[Int(number)])..<Int(offsets[Int(number) + 1])]
  }

  /// Adds the items that have a value.
  func add(itemsWith value: UInt32, to numbers: inout NumberSet) {
    if let set = frequent[value] {
      numbers.formUnion(set)
    } else {
      numbers.insert(postings[postingRange(value)])
    }
  }

  /// Nobody has a value that came later.
  private func postingRange(_ value: UInt32) -> Range<Int> {
    guard Int(value) + 1 < postingOffsets.count else { return 0..<0 }
    return Int(postingOffsets[Int(value)])..<Int(postingOffsets[Int(value) + 1])
  }

  /// How many of the items have each of some values, by ordinal; what it says of other values does not count.
  ///
  /// - Parameters:
  ///   - numbers: visible items of the kind.
  ///   - count: how many they are.
  func counts(
    of wanted: [UInt32], over numbers: NumberSet, _ count: Int, _ kind: Kind
  ) -> [UInt32] {
    let others = visible[kind.place].count - count
    if isLessWork(wanted, than: min(count, others)) { return counts(of: wanted, over: numbers) }
    if count <= others { return counts(over: numbers) }
    // Of most items it is less work to take off what the others have.
    var rest = visible[kind.place]
    rest.subtract(numbers)
    var counts = totals[kind.place]
    for (value, count) in self.counts(over: rest).enumerated() { counts[value] -= count }
    return counts
  }

  /// Counts value by value.
  private func counts(of wanted: [UInt32], over numbers: NumberSet) -> [UInt32] {
    var counts = Array(repeating: UInt32(0), count: postingOffsets.count - 1)
    for value in wanted {
      let range = postingRange(value)
      if !range.isEmpty {
        counts[Int(value)] = UInt32(numbers.count(of: postings[range]))
      } else if let items = frequent[value] {
        counts[Int(value)] = UInt32(numbers.count(in: items))
      }
    }
    return counts
  }

  /// Whether to look at every item of some values is less work than to look at every value of so many items.
  private func isLessWork(_ values: [UInt32], than items: Int) -> Bool {
    var left = items * Self.stepsAnItem
    for value in values {
      guard left > 0 else { break }
      let count = postingRange(value).count
      left -= count == 0 && frequent[value] != nil ? limit / 64 : count
    }
    return left > 0
  }

  /// How many postings, or words of a set, are looked at in the time that the values of one item take: 25 to
  /// 40 ns of a million items against one, for where its values are and what they are is seldom in the
  /// processor's caches.
  private static let stepsAnItem = 32

  /// Counts all values item by item.
  private func counts(over numbers: NumberSet) -> [UInt32] {
    var counts = Array(repeating: UInt32(0), count: postingOffsets.count - 1)
    counts.withUnsafeMutableBufferPointer { counts in
      offsets.withUnsafeBufferPointer { offsets in
        values.withUnsafeBufferPointer { values in
          numbers.forEachNumber { number in
            var place = Int(offsets[Int(number)])
            let end = Int(offsets[Int(number) &+ 1])
            while place < end {
              counts[Int(values[place])] &+= 1
              place &+= 1
            }
          }
        }
      }
    }
    return counts
  }
}
