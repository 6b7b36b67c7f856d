/// Sums of the digests of rows by stretch.
struct StretchSums {
  private var sums: [Int64: RowSum] = [:]
  /// Rows come in the order of their keys, or of few stretches: the one of the row before is at hand.
  private var stretch: Int64 = 0
  private var current = RowSum()

  @inline(__always)
  mutating func add(_ digest: RowDigest, to stretch: Int64) {
    if stretch != self.stretch { move(to: stretch) }
    current.add(digest)
  }

  mutating func subtract(_ digest: RowDigest, from stretch: Int64) {
    if stretch != self.stretch { move(to: stretch) }
    current.subtract(digest)
  }

  /// All sums that are not of nothing.
  mutating func finish() -> [Int64: RowSum] {
    move(to: stretch)
    return sums
  }

  private mutating func move(to next: Int64) {
    if !current.isZero {
      sums[stretch, default: RowSum()].add(current)
      if sums[stretch]?.isZero == true { sums[stretch] = nil }
    }
    current = RowSum()
    stretch = next
  }
}
