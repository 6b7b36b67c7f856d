/// A list of which only a part is known, such as one page of a playlist.
enum PartialList {
  /// A list after a part of it was read. A part says what is on it and in which order, and nothing of the rest: it never takes
  /// anything out.
  ///
  /// - Parameters:
  ///   - place: of the first element of the part in the whole list. It counts if the list has nothing of the part.
  static func merged<Element: Hashable>(
    _ list: [Element], _ part: [Element], at place: Int
  ) -> [Element] {
    let pairs = CommonSubsequence.pairs(list, part)
    guard !pairs.isEmpty else {
      let place = min(place, list.count)
      return Array(list[..<place]) + part + list[place...]
    }
    // What the part has at another place moved there.
    var moved: [Element: Int] = [:]
    var next = 0
    for pair in pairs {
      for place in next..<pair.new { moved[part[place], default: 0] += 1 }
      next = pair.new + 1
    }
    for place in next..<part.count { moved[part[place], default: 0] += 1 }
    var merged: [Element] = []
    func keep(_ range: Range<Int>) {
      for element in list[range] {
        if let count = moved[element], count > 0 {
          moved[element] = count - 1
        } else {
          merged.append(element)
        }
      }
    }
    var (old, new) = (0, 0)
    for pair in pairs {
      keep(old..<pair.old)
      merged += part[new...pair.new]
      (old, new) = (pair.old + 1, pair.new + 1)
    }
    merged += part[new...]
    keep(old..<list.count)
    return merged
  }
}
