package enum BinarySearch {
  /// The first of some places at which a condition is met that is met at all places after it; the number of places if it is
  /// met at none.
  @inlinable
  package static func first(of count: Int, where isMet: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isMet(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
