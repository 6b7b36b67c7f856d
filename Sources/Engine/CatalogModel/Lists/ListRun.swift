/// A part of a list, described by the list before it.
///
/// The first list is stored whole, and each later one as a difference: as git's deltas do, it copies runs of its base and
/// adds what the base lacks. A playlist of 2,000 tracks whose first place changed costs a hundred bytes.
public enum ListRun<Element: Hashable & Sendable>: Hashable, Sendable {
  /// So many elements of the base, from a position (counted from 0) on.
  case kept(from: Int64, count: Int64)
  case new([Element])
}

extension ListRun {
  /// The list of so many elements that runs describe; nil if they describe another number, or ask for what the base does
  /// not have, or for nothing.
  public static func list(
    of count: Int64, _ runs: [ListRun], from base: [Element]
  ) -> [Element]? {
    var list: [Element] = []
    for run in runs {
      switch run {
      case .kept(let from, let length):
        guard from >= 0, length > 0, from <= base.count, length <= Int64(base.count) - from,
          Int64(list.count) + length <= count
        else { return nil }
        list += base[Int(from)..<Int(from + length)]
      case .new(let elements):
        guard !elements.isEmpty else { return nil }
        list += elements
      }
    }
    return list.count == count ? list : nil
  }

  /// Describes a list by its base, in few runs: at each place the longest run of the base that continues there.
  ///
  /// The same two lists give the same runs.
  public static func runs(of list: [Element], from base: [Element]) -> [ListRun] {
    var places: [Element: [Int]] = [:]
    for (place, element) in base.enumerated() { places[element, default: []].append(place) }
    var runs: [ListRun] = []
    var added: [Element] = []
    func flush() {
      if !added.isEmpty { runs.append(.new(added)) }
      added = []
    }
    var place = 0
    while place < list.count {
      var best = (from: 0, count: 0)
      // An element that is everywhere in the base is not tried everywhere.
      for from in (places[list[place]] ?? []).prefix(candidates) {
        var count = 0
        while place + count < list.count, from + count < base.count,
          list[place + count] == base[from + count]
        {
          count += 1
        }
        if count > best.count { best = (from, count) }
      }
      // To name one element takes as many bytes as to say its place.
      guard best.count > 1 else {
        added.append(list[place])
        place += 1
        continue
      }
      flush()
      runs.append(.kept(from: Int64(best.from), count: Int64(best.count)))
      place += best.count
    }
    flush()
    return runs
  }

  private static var candidates: Int { 16 }
}
