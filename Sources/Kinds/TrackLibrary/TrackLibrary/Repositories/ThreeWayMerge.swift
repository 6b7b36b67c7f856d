/// Puts together what an app saves and what others wrote since it loaded.
enum ThreeWayMerge {
  /// The elements of a list that two changed, each without knowing of the other.
  ///
  /// What either put in is there, and what either took out is not. Where both changed the same part, what others wrote
  /// comes first.
  ///
  /// - Parameters:
  ///   - known: what both began with.
  ///   - saved: what the app made of it.
  ///   - written: what others made of it.
  static func list<Element: Hashable>(
    known: [Element], saved: [Element], written: [Element]
  ) -> [Element] {
    if written == known { return saved }
    if saved == known || saved == written { return written }
    let (inSaved, inWritten) = (survivors(of: known, in: saved), survivors(of: known, in: written))
    var merged: [Element] = []
    var (first, firstSaved, firstWritten) = (0, 0, 0)
    for place in 0...known.count {
      // Up to the next element that both have kept.
      let isEnd = place == known.count
      let places =
        isEnd ? (saved.count, written.count) : (inSaved[place] ?? -1, inWritten[place] ?? -1)
      guard isEnd || places.0 >= 0 && places.1 >= 0 else { continue }
      merged += part(
        known: known[first..<place], saved: saved[firstSaved..<places.0],
        written: written[firstWritten..<places.1])
      if !isEnd { merged.append(known[place]) }
      (first, firstSaved, firstWritten) = (place + 1, places.0 + 1, places.1 + 1)
    }
    return merged
  }

  private static func part<Element: Hashable>(
    known: ArraySlice<Element>, saved: ArraySlice<Element>, written: ArraySlice<Element>
  ) -> [Element] {
    if written.elementsEqual(known) { return Array(saved) }
    if saved.elementsEqual(known) || saved.elementsEqual(written) { return Array(written) }
    // By count: an element may be there twice.
    func counts(_ elements: ArraySlice<Element>) -> [Element: Int] {
      elements.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
    let (before, after) = (counts(known), counts(saved))
    var removed = before
    for (element, count) in after { removed[element, default: 0] -= count }
    var kept = before
    return written.without(&removed) + saved.without(&kept)
  }

  /// Where in a changed list each element of the one before is; nil for those that were taken out.
  private static func survivors<Element: Hashable>(
    of known: [Element], in changed: [Element]
  ) -> [Int?] {
    var places: [Int?] = Array(repeating: nil, count: known.count)
    for (place, other) in CommonSubsequence.pairs(known, changed) { places[place] = other }
    return places
  }

  /// A track whose fields the app and others changed: what the app changed is as it says, all else as it is written.
  static func track(known: Track, saved: Track, written: Track) -> Track {
    var merged = written
    for column in TrackDetails.columns {
      column.take(from: saved.details, since: known.details, into: &merged.details)
    }
    if saved.artworkData != known.artworkData { merged.artworkData = saved.artworkData }
    return merged
  }
}
