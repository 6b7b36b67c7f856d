import CatalogStore

/// Changes of rows in an order in which no row takes a unique value that another one still has.
///
/// SQLite holds each statement against unique columns, and not the transaction. A row that takes the value of another one comes
/// after it. Rows that exchange values have no such order: one of them is removed, and added again at the end.
struct UniqueMoves {
  typealias Move = (before: [StoredValue], after: [StoredValue])

  private(set) var inOrder: [Move] = []
  /// Those that are removed first and added again last.
  private(set) var exchanged: [Move] = []

  /// - Parameter uniques: the places of columns in which no two rows have the same values.
  init(_ moves: [Move], _ uniques: [[Int]]) {
    var owners: [[[StoredValue]: Int]] = []
    for places in uniques {
      var found: [[StoredValue]: Int] = [:]
      for (number, move) in moves.enumerated() where Self.moves(places, move) {
        found[places.map { move.before[$0] }] = number
      }
      owners.append(found)
    }
    /// The changes that have values until then that another one takes.
    func waitsFor(_ number: Int) -> [Int] {
      zip(uniques, owners).compactMap { places, owners in
        let move = moves[number]
        // NULL is equal to no NULL.
        guard Self.moves(places, move), !places.contains(where: { move.after[$0] == .null }) else {
          return nil
        }
        return owners[places.map { move.after[$0] }].flatMap { $0 == number ? nil : $0 }
      }
    }
    // 1: those it waits for are being ordered. 2: it is in the order.
    var states = [UInt8](repeating: 0, count: moves.count)
    for first in moves.indices where states[first] == 0 {
      var path: [(number: Int, rest: [Int])] = [(first, waitsFor(first))]
      states[first] = 1
      while let (number, rest) = path.last {
        guard let next = rest.last else {
          path.removeLast()
          if states[number] == 1 { inOrder.append(moves[number]) }
          states[number] = 2
          continue
        }
        path[path.count - 1].rest.removeLast()
        switch states[next] {
        case 0:
          states[next] = 1
          path.append((next, waitsFor(next)))
        case 1:
          // A circle: its values are free from the beginning on.
          states[next] = 3
          exchanged.append(moves[next])
        default: break
        }
      }
    }
  }

  /// Removes no row for a while: those that exchange values come last, as all others are.
  mutating func keepAll() {
    inOrder += exchanged
    exchanged = []
  }

  private static func moves(_ places: [Int], _ move: Move) -> Bool {
    places.contains { move.before[$0] != move.after[$0] }
  }
}
