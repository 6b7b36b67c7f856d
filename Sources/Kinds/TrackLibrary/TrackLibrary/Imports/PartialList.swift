/// A list of which only a part is known, such as one page of a playlist.
enum PartialList {
  /// A list after a part of it was read. A part says what is on it and in which order, and nothing of the rest: it never
  /// takes anything out.
  ///
  /// - Parameters:
  ///   - places: those of the part in the list of the source, which are more than the part has elements if some could not
  ///     be used. So fewer elements may be before it here.
  static func merged<Element: Hashable>(
    _ list: [Element], _ part: [Element], at places: Range<Int>
  ) -> [Element] {
    guard !part.isEmpty else { return list }
    let place = places.lowerBound
    // The part may be there already, at its place or a little before it.
    for shift in 0..<min(part.count, place + 1) {
      let start = place - shift
      if start + part.count <= list.count, list[start..<start + part.count].elementsEqual(part) {
        return list
      }
    }
    // Only what is around the place is compared: elsewhere, the same element is another entry.
    let start = list.count > place ? max(0, place - part.count + 1) : min(place, list.count)
    let end = min(list.count, places.upperBound)
    guard start < end else { return Array(list[..<start]) + part + list[start...] }
    return list[..<start] + merged(Array(list[start..<end]), part) + list[end...]
  }

  private static func merged<Element: Hashable>(_ list: [Element], _ part: [Element]) -> [Element] {
    let pairs = CommonSubsequence.pairs(list, part)
    // What the part has at another place moved there.
    var moved: [Element: Int] = [:]
    var next = 0
    for pair in pairs {
      for place in next..<pair.new { moved[part[place], default: 0] += 1 }
      next = pair.new + 1
    }
    for place in next..<part.count { moved[part[place], default: 0] += 1 }
    var merged: [Element] = []
    var (old, new) = (0, 0)
    for pair in pairs {
      merged += list[old..<pair.old].without(&moved)
      merged += part[new...pair.new]
      (old, new) = (pair.old + 1, pair.new + 1)
    }
    merged += part[new...]
    return merged + list[old...].without(&moved)
  }
}

extension Sequence where Element: Hashable {
  /// The elements but for so many of each as the counts say, the first of them; the counts fall by what was left out.
  func without(_ counts: inout [Element: Int]) -> [Element] {
    filter { element in
      guard let count = counts[element], count > 0 else { return true }
      counts[element] = count - 1
      return false
    }
  }
}
