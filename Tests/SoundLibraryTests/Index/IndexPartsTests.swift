import CatalogModel
import CatalogTestSupport
import GRDB
import Promises
import Testing

@testable import CatalogStore
@testable import SoundLibrary

/// The parts of an index, each against the plainest thing that does the same.
@Suite(
  .promise(
    "Lists, counts, facets and searches are the same from the index in memory and from "
      + "SQL, after every commit and rebuild",
    by: "each part, compared with the plainest code that does the same"))
struct IndexPartsTests {
  @Test(arguments: [1, 63, 64, 65, 700] as [Int])
  func numbersAreASet(limit: Int) {
    var random = SplitMix(seed: UInt64(limit))
    func some() -> Set<UInt32> {
      Set((0..<limit).filter { _ in random.below(3) == 0 }.map(UInt32.init))
    }
    func set(_ numbers: Set<UInt32>) -> NumberSet {
      var set = NumberSet(below: limit)
      set.insert(numbers.sorted())
      return set
    }
    func numbers(_ set: NumberSet) -> [UInt32] {
      var numbers: [UInt32] = []
      set.forEachNumber { numbers.append($0) }
      return numbers
    }
    for _ in 0..<20 {
      let (left, right) = (some(), some())
      var union = set(left)
      union.formUnion(set(right))
      #expect(numbers(union) == left.union(right).sorted())
      var intersection = set(left)
      intersection.formIntersection(set(right))
      #expect(numbers(intersection) == left.intersection(right).sorted())
      #expect(intersection.count == left.intersection(right).count)
      #expect(set(left).count(in: set(right)) == intersection.count)
      #expect(set(left).count(of: right.sorted()[...]) == intersection.count)
      var rest = set(left)
      rest.subtract(set(right))
      #expect(numbers(rest) == left.subtracting(right).sorted())
      let numbersOfLeft = set(left)
      for number in 0..<UInt32(limit) {
        #expect(numbersOfLeft.contains(number) == left.contains(number))
        rest.set(number, to: right.contains(number))
      }
      #expect(numbers(rest) == right.sorted())
      #expect(!rest.contains(UInt32(limit) + 64))
    }
  }

  /// Sparse values and frequent ones, few items and most of them, against counting one by one.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func taggingsCountAsCountingDoes(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let limit = 900
    let kinds = (0..<limit).map { _ in random.below(4) }
    let tags = (0..<limit).map { _ in
      (0..<UInt32(400)).filter { $0 < 3 ? random.below(3) > 0 : random.below(60) == 0 }
    }
    let visible = (0..<3).map { kind in
      var set = NumberSet(below: limit)
      set.insert((0..<UInt32(limit)).filter { kinds[Int($0)] == kind })
      return set
    }
    var offsets: [UInt32] = [0]
    for tags in tags { offsets.append(offsets[offsets.count - 1] + UInt32(tags.count)) }
    let taggings = Taggings(
      visible: visible, downloaded: NumberSet(below: limit), offsets: offsets,
      values: tags.flatMap { $0 }, valueCount: 400)
    for value in UInt32(0)..<402 {
      var found = NumberSet(below: limit)
      taggings.add(itemsWith: value, to: &found)
      for number in 0..<limit {
        #expect(found.contains(UInt32(number)) == tags[number].contains(value))
      }
    }
    for share in [0, 1, 5, 9, 10] {
      let chosen = (0..<UInt32(limit)).filter { kinds[Int($0)] == 2 && random.below(10) < share }
      var numbers = NumberSet(below: limit)
      numbers.insert(chosen)
      // Few of the values, or two that came later: value by value. All of them: item by item, or the others'
      // taken off.
      for wanted in [[1, 401], [0, 7, 399], [400, 401], Array(0..<402)] as [[UInt32]] {
        let counts = taggings.counts(of: wanted, over: numbers, chosen.count, .sfx)
        for value in wanted where value < 400 {
          #expect(
            Int(counts[Int(value)]) == chosen.count { tags[Int($0)].contains(value) })
        }
      }
    }
  }

  @Test func theFirstItemsAreThoseThatSortingPutsFirst() throws {
    var random = SplitMix(seed: 3)
    let queue = try DatabaseQueue()
    try queue.write { database in
      try database.execute(
        sql: """
          CREATE TABLE projection_item(number INTEGER PRIMARY KEY, item_id TEXT);
          CREATE TABLE library_item(id TEXT PRIMARY KEY, duration REAL);
          """)
      for number in 1...500 {
        let duration = random.below(4) == 0 ? nil : Double(random.below(9)) - 4
        try database.execute(
          sql: "INSERT INTO projection_item VALUES (?, ?); INSERT INTO library_item VALUES (?, ?)",
          arguments: [number, "\(number)", "\(number)", duration])
      }
      let keys = try SortKeys(.duration, count: 501, database)
      let ids = (0...500).map { _ in
        EntityID(high: UInt64(random.below(3)), low: UInt64(random.below(1_000_000)))
      }
      for isDescending in [false, true] {
        func place(_ number: UInt32) -> FirstItems.Place {
          FirstItems.Place(
            key: SortKeys.place(keys.keys[Int(number)], isDescending: isDescending),
            id: ids[Int(number)])
        }
        let sorted = (1...500).map(UInt32.init).sorted { place($0) < place($1) }
        for (skipped, count) in [(0, 1), (0, 20), (7, 20), (480, 50), (499, 3)] {
          var first = FirstItems(count, keys, ids, isDescending: isDescending)
          if skipped > 0 { first.skip(through: place(sorted[skipped - 1])) }
          for number in 1...500 { first.add(UInt32(number)) }
          #expect(first.sorted == Array(sorted.dropFirst(skipped).prefix(count)))
        }
      }
    }
  }

  /// Titles that are moved one by one sort as those that are all read anew.
  @Test func titlesThatMoveSortAsTitlesThatAreRead() throws {
    var random = SplitMix(seed: 9)
    let queue = try DatabaseQueue()
    try queue.write { database in
      try database.execute(
        sql: "CREATE TABLE projection_item_text(number INTEGER PRIMARY KEY, title TEXT)")
      func title() -> String {
        String((0..<random.below(4)).map { _ in random.pick(["a", "b", "é", "z"]).first! })
      }
      for number in 1...40 {
        try database.execute(
          sql: "INSERT INTO projection_item_text VALUES (?, ?)", arguments: [number, title()])
      }
      var keys = try SortKeys(.title, count: 41, database)
      var moved = 0
      for _ in 0..<300 {
        let numbers = Set((0..<1 + random.below(5)).map { _ in UInt32(1 + random.below(40)) })
        for number in numbers {
          try database.execute(
            sql: "UPDATE projection_item_text SET title = ? WHERE number = ?",
            arguments: [title(), number])
        }
        let items = numbers.sorted().map { (number: $0, id: EntityID(high: 0, low: UInt64($0))) }
        let read = try SortKeys(.title, count: 41, database)
        if let changed = try keys.changed(items, count: 41, database) {
          keys = changed
          moved += 1
        } else {
          keys = read
        }
        for left in 1...40 {
          for right in 1...40 where left != right {
            #expect(
              (keys.keys[left] < keys.keys[right]) == (read.keys[left] < read.keys[right]))
            #expect(
              (keys.keys[left] == keys.keys[right]) == (read.keys[left] == read.keys[right]))
          }
        }
      }
      #expect(moved > 250)
    }
  }

  @Test func theNextTextBehindAllThatBeginWithOne() {
    #expect(SortKeys.successor(of: "ab") == "ac")
    #expect(SortKeys.successor(of: "a\u{D7FF}") == "a\u{E000}")
    #expect(SortKeys.successor(of: "a\u{10FFFF}") == "b")
    #expect(SortKeys.successor(of: "\u{10FFFF}") == nil)
    #expect(SortKeys.successor(of: "") == nil)
  }
}
