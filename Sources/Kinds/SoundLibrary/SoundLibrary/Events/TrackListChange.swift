/// What became of a list of tracks: which came, went and moved.
///
/// A track that is in a list several times counts as often: its first place in one list is the same as its
/// first place in the other, its second as its second.
public struct TrackListChange: Hashable, Sendable {
  /// A track at a position of a list, counted from 0.
  public struct Place: Hashable, Sendable {
    public let id: String
    public let position: Int
  }

  public struct Move: Hashable, Sendable {
    public let id: String
    public let from: Int
    public let to: Int
  }

  /// In the new list's order, with positions in it.
  public let came: [Place]
  /// In the old list's order, with positions in it.
  public let went: [Place]
  /// In the new list's order. As few tracks as possible: where the first of a hundred went to the end, one
  /// moved and not ninety-nine.
  public let moved: [Move]

  public var isEmpty: Bool { came.isEmpty && went.isEmpty && moved.isEmpty }

  public init(from old: [String], to new: [String]) {
    var places: [String: [Int]] = [:]
    for (position, id) in old.enumerated().reversed() { places[id, default: []].append(position) }
    var came: [Place] = []
    var stayed: [(from: Int, to: Int)] = []
    for (position, id) in new.enumerated() {
      if let from = places[id]?.popLast() {
        stayed.append((from, position))
      } else {
        came.append(Place(id: id, position: position))
      }
    }
    self.came = came
    went = places.flatMap { id, left in left.map { Place(id: id, position: $0) } }
      .sorted { $0.position < $1.position }
    let inOrder = Self.longestIncreasing(stayed.map(\.from))
    moved = stayed.indices.filter { !inOrder.contains($0) }
      .map { Move(id: new[stayed[$0].to], from: stayed[$0].from, to: stayed[$0].to) }
  }

  /// The places of a longest increasing subsequence, by patience sorting.
  private static func longestIncreasing(_ values: [Int]) -> Set<Int> {
    // The place of the smallest value that ends a subsequence of each length.
    var ends: [Int] = []
    var previous = Array(repeating: -1, count: values.count)
    for (place, value) in values.enumerated() {
      var low = 0
      var high = ends.count
      while low < high {
        let middle = (low + high) / 2
        if values[ends[middle]] < value { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[place] = ends[low - 1] }
      if low == ends.count { ends.append(place) } else { ends[low] = place }
    }
    var places: Set<Int> = []
    var place = ends.last ?? -1
    while place >= 0 {
      places.insert(place)
      place = previous[place]
    }
    return places
  }
}
