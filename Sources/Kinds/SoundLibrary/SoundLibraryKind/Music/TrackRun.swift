/// A part of a list of tracks, told by the list before it.
///
/// The list is stored once, and each later one by what is new in it: as git's deltas do, it copies runs of
/// its base and adds what the base lacks. A playlist of 2,000 tracks whose first place changed costs a
/// hundred bytes.
package enum TrackRun: Hashable, Sendable {
  /// So many tracks of the base, from a position (counted from 0) on.
  case kept(from: Int64, count: Int64)
  /// Ids of tracks.
  case new([String])
}

extension TrackRun {
  /// The list of so many tracks that runs tell; nil where they tell another number, or ask for what the base
  /// does not have, or for nothing.
  package static func list(
    of count: Int64, _ runs: [TrackRun], from base: [String]
  ) -> [String]? {
    var list: [String] = []
    for run in runs {
      switch run {
      case .kept(let from, let length):
        guard from >= 0, length > 0, from <= base.count, length <= Int64(base.count) - from,
          Int64(list.count) + length <= count
        else { return nil }
        list += base[Int(from)..<Int(from + length)]
      case .new(let ids):
        guard !ids.isEmpty else { return nil }
        list += ids
      }
    }
    return list.count == count ? list : nil
  }

  /// Tells a list by its base, in few runs: at each place the longest run of the base that goes on there.
  ///
  /// The same two lists give the same runs.
  package static func runs(of list: [String], from base: [String]) -> [TrackRun] {
    var places: [String: [Int]] = [:]
    for (place, id) in base.enumerated() { places[id, default: []].append(place) }
    var runs: [TrackRun] = []
    var added: [String] = []
    func flush() {
      if !added.isEmpty { runs.append(.new(added)) }
      added = []
    }
    var place = 0
    while place < list.count {
      var best = (from: 0, count: 0)
      // A track that is everywhere in the base is not tried everywhere.
      for from in (places[list[place]] ?? []).prefix(candidates) {
        var count = 0
        while place + count < list.count, from + count < base.count,
          list[place + count] == base[from + count]
        {
          count += 1
        }
        if count > best.count { best = (from, count) }
      }
      // To name one track takes as many bytes as to say where it was.
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

  private static let candidates = 16
}
