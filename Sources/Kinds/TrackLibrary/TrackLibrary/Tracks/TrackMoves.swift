/// The order in which tracks take their places.
///
/// A track cannot take a URI that another one has. So one that leaves a URI comes before the one that takes it; where
/// tracks exchange theirs in a circle, one of them steps aside first.
enum TrackMoves {
  /// What a track becomes, and what it is; nil if it is new.
  typealias Change = (facts: TrackFacts, known: TrackFacts?)

  /// - Parameter changes: at most one for a track, no two of which end at one URI.
  /// - Returns: what the tracks become, one after the other: in the order of the changes, as far as their URIs allow.
  static func ordered(_ changes: [Change]) -> [TrackFacts] {
    assert(Set(changes.map(\.facts.uri)).count == changes.count)
    var leaving: [String: Int] = [:]
    for (place, change) in changes.enumerated() {
      if let known = change.known, known.uri != change.facts.uri { leaving[known.uri] = place }
    }
    var ordered: [TrackFacts] = []
    var isDone = Array(repeating: false, count: changes.count)
    for place in changes.indices where !isDone[place] {
      var waiting: [Int] = []
      var isWaiting: Set<Int> = []
      var next: Int? = place
      while let change = next, !isDone[change], isWaiting.insert(change).inserted {
        waiting.append(change)
        next = leaving[changes[change].facts.uri]
      }
      if let first = next, !isDone[first], var aside = changes[first].known {
        aside.uri = "moving:\(aside.id)"
        ordered.append(aside)
      }
      for change in waiting.reversed() {
        isDone[change] = true
        ordered.append(changes[change].facts)
      }
    }
    return ordered
  }
}
