/// Finds what two lists have in common, in the same order.
///
/// Memory and time grow with the lists' lengths, also for two lists in different orders, for which the standard library's
/// `difference(from:)` takes memory by the square of the number of differences.
enum CommonSubsequence {
  /// Pairs of places of equal elements, both rising: as many as there can be, unless elements appear very often.
  ///
  /// - Parameter candidates: how many pairs of equal elements are looked at for each element of the lists, on average. If
  ///   there are more, the first place of an element in one list is paired only with the first one in the other, its second
  ///   with the second.
  static func pairs<Element: Hashable>(
    _ old: [Element], _ new: [Element], candidates: Int = 8
  ) -> [(old: Int, new: Int)] {
    let shorter = min(old.count, new.count)
    var start = 0
    while start < shorter, old[start] == new[start] { start += 1 }
    var end = 0
    while end < shorter - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
    var pairs = (0..<start).map { (old: $0, new: $0) }
    pairs += middle(old, start..<old.count - end, new, start..<new.count - end, candidates)
    pairs += (0..<end).reversed().map { (old: old.count - 1 - $0, new: new.count - 1 - $0) }
    return pairs
  }

  /// The longest rising sequence among pairs of equal elements (Hunt and Szymanski).
  private static func middle<Element: Hashable>(
    _ old: [Element], _ oldPlaces: Range<Int>, _ new: [Element], _ newPlaces: Range<Int>,
    _ candidates: Int
  ) -> [(old: Int, new: Int)] {
    guard !oldPlaces.isEmpty, !newPlaces.isEmpty else { return [] }
    var places: [Element: [Int]] = [:]
    for place in oldPlaces { places[old[place], default: []].append(place) }
    var count = 0
    let limit = candidates * (oldPlaces.count + newPlaces.count)
    for place in newPlaces where count <= limit { count += places[new[place]]?.count ?? 0 }
    let takesAll = count <= limit
    var seen: [Element: Int] = [:]
    /// Pairs, each with the one before it in the longest sequence that it ends.
    var nodes: [(old: Int, new: Int, before: Int)] = []
    /// The pair that ends a sequence of each length at the smallest place.
    var ends: [Int] = []
    for place in newPlaces {
      guard let matches = places[new[place]] else { continue }
      if takesAll {
        // From the last one on: two pairs of one new place never follow each other.
        for match in matches.reversed() { add(match, place) }
      } else {
        let number = seen[new[place], default: 0]
        seen[new[place]] = number + 1
        if number < matches.count { add(matches[number], place) }
      }
    }
    func add(_ match: Int, _ place: Int) {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if nodes[ends[middle]].old < match { low = middle + 1 } else { high = middle }
      }
      nodes.append((match, place, low > 0 ? ends[low - 1] : -1))
      if low == ends.count { ends.append(nodes.count - 1) } else { ends[low] = nodes.count - 1 }
    }
    var pairs: [(old: Int, new: Int)] = []
    var node = ends.last ?? -1
    while node >= 0 {
      pairs.append((nodes[node].old, nodes[node].new))
      node = nodes[node].before
    }
    return pairs.reversed()
  }
}
