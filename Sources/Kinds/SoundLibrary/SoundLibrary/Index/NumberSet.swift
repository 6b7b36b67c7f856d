/// A set of item numbers below a limit, one bit each.
///
/// What a set is combined with has the same limit or a larger one, whose further numbers do not count.
struct NumberSet: Equatable, Sendable {
  private var words: [UInt64]

  init(below limit: Int) {
    words = Array(repeating: 0, count: (limit + 63) / 64)
  }

  func contains(_ number: UInt32) -> Bool {
    let word = Int(number >> 6)
    return word < words.count && words[word] & 1 << UInt64(number & 63) != 0
  }

  mutating func insert(_ number: UInt32) {
    words[Int(number >> 6)] |= 1 << UInt64(number & 63)
  }

  mutating func set(_ number: UInt32, to isIn: Bool) {
    words[Int(number >> 6)] &= ~(1 << UInt64(number & 63))
    if isIn { insert(number) }
  }

  mutating func insert(_ numbers: some Sequence<UInt32>) {
    words.withUnsafeMutableBufferPointer { words in
      for number in numbers { words[Int(number >> 6)] |= 1 << UInt64(number & 63) }
    }
  }

  mutating func formUnion(_ other: NumberSet) {
    combine(other) { $0 | $1 }
  }

  mutating func formIntersection(_ other: NumberSet) {
    combine(other) { $0 & $1 }
  }

  mutating func subtract(_ other: NumberSet) {
    combine(other) { $0 & ~$1 }
  }

  @inline(__always)
  private mutating func combine(_ other: NumberSet, _ operation: (UInt64, UInt64) -> UInt64) {
    precondition(words.count <= other.words.count, "a set of a smaller limit")
    words.withUnsafeMutableBufferPointer { words in
      other.words.withUnsafeBufferPointer { others in
        for index in 0..<words.count { words[index] = operation(words[index], others[index]) }
      }
    }
  }

  var count: Int {
    words.withUnsafeBufferPointer { words in
      var count = 0
      for word in words { count &+= word.nonzeroBitCount }
      return count
    }
  }

  /// How many numbers are in both.
  func count(in other: NumberSet) -> Int {
    precondition(words.count <= other.words.count, "a set of a smaller limit")
    return words.withUnsafeBufferPointer { words in
      other.words.withUnsafeBufferPointer { others in
        var count = 0
        for index in 0..<words.count { count &+= (words[index] & others[index]).nonzeroBitCount }
        return count
      }
    }
  }

  /// How many of some numbers are in the set. All are below its limit.
  func count(of numbers: ArraySlice<UInt32>) -> Int {
    words.withUnsafeBufferPointer { words in
      numbers.withUnsafeBufferPointer { numbers in
        var count: UInt64 = 0
        for number in numbers { count &+= words[Int(number >> 6)] &>> UInt64(number & 63) & 1 }
        return Int(count)
      }
    }
  }

  /// Hands over the numbers, ascending.
  @inline(__always)
  func forEachNumber(_ body: (UInt32) -> Void) {
    words.withUnsafeBufferPointer { words in
      for index in 0..<words.count {
        var rest = words[index]
        while rest != 0 {
          body(UInt32(truncatingIfNeeded: index &<< 6 &+ rest.trailingZeroBitCount))
          rest &= rest &- 1
        }
      }
    }
  }
}
