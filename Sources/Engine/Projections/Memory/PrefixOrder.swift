/// Sorts numbers by 64 bits that stand for them, and by comparing only where these are equal.
///
/// A radix sort, byte by byte, over those bytes that are not the same everywhere: a rebuild orders
/// every row by its key and again for each index.
enum PrefixOrder {
  struct Entry {
    var prefix: UInt64
    var number: UInt64
  }

  /// - Parameter areInOrder: whether the first of two numbers with the same prefix comes before the
  ///   second; nil leaves them in the order that they have.
  static func sort(
    _ entries: inout [Entry], areInOrder: ((UInt64, UInt64) -> Bool)?
  ) {
    sortByPrefix(&entries)
    guard let areInOrder else { return }
    var start = 0
    while start < entries.count {
      var end = start + 1
      while end < entries.count, entries[end].prefix == entries[start].prefix { end += 1 }
      if end - start > 1 { sortRun(&entries, start..<end, areInOrder) }
      start = end
    }
  }

  private static func sortRun(
    _ entries: inout [Entry], _ run: Range<Int>, _ areInOrder: (UInt64, UInt64) -> Bool
  ) {
    // Rows often come in order; then nothing is moved.
    var isSorted = true
    for index in run.dropFirst() where isSorted {
      isSorted = areInOrder(entries[index - 1].number, entries[index].number)
    }
    if !isSorted { entries[run].sort { areInOrder($0.number, $1.number) } }
  }

  private static func sortByPrefix(_ entries: inout [Entry]) {
    guard entries.count > 1 else { return }
    var isSorted = true
    var difference: UInt64 = 0
    for index in 1..<entries.count {
      if entries[index - 1].prefix > entries[index].prefix { isSorted = false }
      difference |= entries[index - 1].prefix ^ entries[index].prefix
    }
    if isSorted { return }
    withUnsafeTemporaryAllocation(of: Entry.self, capacity: entries.count) { spare in
      entries.withUnsafeMutableBufferPointer { entries in
        var source = entries
        var target = spare
        for shift in stride(from: 0 as UInt64, to: 64, by: 8) where difference >> shift & 0xFF != 0
        {
          scatter(source, to: target, by: shift)
          swap(&source, &target)
        }
        if source.baseAddress != entries.baseAddress {
          _ = entries.update(fromContentsOf: source)
        }
      }
    }
  }

  private static func scatter(
    _ source: UnsafeMutableBufferPointer<Entry>, to target: UnsafeMutableBufferPointer<Entry>,
    by shift: UInt64
  ) {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { starts in
      starts.initialize(repeating: 0)
      for entry in source { starts[Int(entry.prefix >> shift & 0xFF)] += 1 }
      var sum = 0
      for byte in 0..<256 {
        let count = starts[byte]
        starts[byte] = sum
        sum += count
      }
      for entry in source {
        let byte = Int(entry.prefix >> shift & 0xFF)
        target[starts[byte]] = entry
        starts[byte] += 1
      }
    }
  }
}
