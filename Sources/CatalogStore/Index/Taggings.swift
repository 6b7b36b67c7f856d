import CatalogModel

/// Which items have which values, by item and by value; and what else filters ask of an item.
///
/// Items are numbers below `limit`. Values of an item lie one after the other in one array, and so do the
/// items of a value, or they are a set of bits where that is smaller: memory grows with the taggings, not
/// with items times values. Immutable: what changes later lies beside it (`CatalogIndex.changed`).
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
  private static func isFrequent(_ count: UInt32, of limit: Int) -> Bool {
    Int(count) * 32 >= limit && count > 0
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
    var sizes = Array(repeating: UInt32(0), count: valueCount)
    for value in values { sizes[Int(value)] += 1 }
    var frequent: [NumberSet?] = sizes.map {
      Self.isFrequent($0, of: limit) ? NumberSet(below: limit) : nil
    }
    var starts = [UInt32(0)]
    starts.reserveCapacity(valueCount + 1)
    for (size, set) in zip(sizes, frequent) {
      starts.append(starts[starts.count - 1] + (set == nil ? size : 0))
    }
    var ends = starts
    var postings = Array(repeating: UInt32(0), count: Int(starts[valueCount]))
    var totals = visible.map { _ in Array(repeating: UInt32(0), count: valueCount) }
    for number in 0..<UInt32(limit) {
      let kind = visible.firstIndex { $0.contains(number) }
      for place in Int(offsets[Int(number)])..<Int(offsets[Int(number) + 1]) {
        let value = Int(values[place])
        if frequent[value] != nil {
          frequent[value]?.insert(number)
        } else {
          postings[Int(ends[value])] = number
          ends[value] += 1
        }
        if let kind { totals[kind][value] += 1 }
      }
    }
    self.totals = totals
    self.postings = postings
    postingOffsets = starts
    var sets: [UInt32: NumberSet] = [:]
    for (value, set) in frequent.enumerated() {
      if let set { sets[UInt32(value)] = set }
    }
    self.frequent = sets
  }

  /// The values of an item.
  func values(of number: UInt32) -> ArraySlice<UInt32> {
    values[Int(offsets[Int(number)])..<Int(offsets[Int(number) + 1])]
  }

  /// Adds the items that have a value. Nobody has one that came later.
  func add(itemsWith value: UInt32, to numbers: inout NumberSet) {
    if let set = frequent[value] {
      numbers.formUnion(set)
    } else if Int(value) + 1 < postingOffsets.count {
      let range = Int(postingOffsets[Int(value)])..<Int(postingOffsets[Int(value) + 1])
      numbers.insert(postings[range])
    }
  }

  /// How many of the items have each value.
  ///
  /// - Parameters:
  ///   - numbers: visible items of the kind.
  ///   - count: how many they are.
  func counts(over numbers: NumberSet, _ count: Int, of kind: Kind) -> [UInt32] {
    var rest = visible[kind.place]
    let all = totals[kind.place]
    // Of most items it is less work to take off what the others have.
    guard count * 2 > rest.count else { return counts(over: numbers, all.count) }
    rest.subtract(numbers)
    var counts = all
    for (value, count) in self.counts(over: rest, all.count).enumerated() {
      counts[value] -= count
    }
    return counts
  }

  private func counts(over numbers: NumberSet, _ valueCount: Int) -> [UInt32] {
    var counts = Array(repeating: UInt32(0), count: valueCount)
    counts.withUnsafeMutableBufferPointer { counts in
      offsets.withUnsafeBufferPointer { offsets in
        values.withUnsafeBufferPointer { values in
          numbers.forEach { number in
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
