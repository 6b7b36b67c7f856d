import CatalogEngine
import CatalogStore

/// Changes of rows in an order in which no row takes a unique value that another one still has.
///
/// SQLite holds each statement against unique columns, and not the transaction. A row that takes the value of another one comes
/// after it. Rows that exchange values have no such order: one of them is removed, and added again at the end.
struct UniqueMoves {
  typealias Move = (before: [StoredValue], after: [StoredValue])

  private(set) var inOrder: [Move] = []
  /// Those that are removed first and added again last, each with the columns whose values it exchanges.
  private(set) var exchanged: [(move: Move, rule: UniqueRule)] = []

  /// - Parameter rules: the columns in which no two rows have, or may have, the same values.
  init(_ moves: [Move], _ rules: [UniqueRule]) {
    var rules = rules
    var owners: [[[StoredValue]: Int]] = []
    for (place, rule) in rules.enumerated().reversed() {
      var found: [[StoredValue]: Int] = [:]
      var isUnique = true
      for (number, move) in moves.enumerated() where rule.moves(move) {
        if found.updateValue(number, forKey: rule.values(move.before)) != nil { isUnique = false }
      }
      // Two rows have the same value: no index forbids it.
      if rule.isGuess, !isUnique { rules.remove(at: place) } else { owners.insert(found, at: 0) }
    }
    /// The changes that have values until then that another one takes.
    func waitsFor(_ number: Int) -> [(number: Int, rule: UniqueRule)] {
      zip(rules, owners).compactMap { rule, owners in
        let move = moves[number]
        // NULL is equal to no NULL.
        guard rule.moves(move), !rule.places.contains(where: { move.after[$0] == .null }) else {
          return nil
        }
        return owners[rule.values(move.after)].flatMap { $0 == number ? nil : ($0, rule) }
      }
    }
    // 1: those it waits for are being ordered. 2: it is in the order. 3: it is removed first.
    var states = [UInt8](repeating: 0, count: moves.count)
    for first in moves.indices where states[first] == 0 {
      var path: [(number: Int, rest: [(number: Int, rule: UniqueRule)])] = [
        (first, waitsFor(first))
      ]
      states[first] = 1
      while let (number, rest) = path.last {
        guard let next = rest.last else {
          path.removeLast()
          if states[number] == 1 { inOrder.append(moves[number]) }
          states[number] = 2
          continue
        }
        path[path.count - 1].rest.removeLast()
        switch states[next.number] {
        case 0:
          states[next.number] = 1
          path.append((next.number, waitsFor(next.number)))
        case 1 where next.rule.isGuess && !next.rule.canExchange:
          break
        case 1:
          // A circle: its values are free from the beginning on.
          states[next.number] = 3
          exchanged.append((moves[next.number], next.rule))
        default: break
        }
      }
    }
  }
}

/// Columns in which no two rows of another program's database have the same values.
struct UniqueRule {
  /// The places of the columns.
  let places: [Int]
  /// Whether SQLite may take letters for the same that differ in case, and texts that differ in spaces at their end.
  var folds = false
  /// Whether they only may be unique.
  var isGuess = false
  /// Whether rows may be removed and added again for a guess.
  var canExchange = true

  /// Whether a change gives a row other values.
  func moves(_ move: UniqueMoves.Move) -> Bool {
    places.contains { value(move.before[$0]) != value(move.after[$0]) }
  }

  func values(_ row: [StoredValue]) -> [StoredValue] { places.map { value(row[$0]) } }

  private func value(_ value: StoredValue) -> StoredValue {
    guard folds, case .text(let text) = value else { return value }
    let end = text.utf8.reversed().drop { $0 == 0x20 }.reversed()
    return .text(
      String(
        decoding: end.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 + 32 : $0 },
        as: UTF8.self))
  }
}

extension UniqueRule {
  /// Changes among more rows than this are not searched for values that may be unique.
  private static let guessLimit = 100_000

  /// The rules of a table: those that are known, and all columns that may be unique if a database can have more of them.
  ///
  /// - Parameter keepsRowIDs: whether a row that is added again has the number that it had.
  static func all(
    of origin: TableOrigin, changing moves: [UniqueMoves.Move], keepsRowIDs: Bool
  ) -> [UniqueRule] {
    var rules = origin.uniques.map { UniqueRule(places: $0) }
    rules += origin.foldedUniques.map { UniqueRule(places: $0, folds: true) }
    guard origin.canHaveMoreUniques, moves.count > 1, moves.count <= guessLimit else {
      return rules
    }
    for place in origin.columns.indices
    where origin.columns[place] != nil
      && moves.contains(where: { $0.before[place] != $0.after[place] })
    {
      for folds in [false, true] {
        rules.append(
          UniqueRule(
            places: [place], folds: folds, isGuess: true,
            canExchange: keepsRowIDs && !origin.isPartial && origin.stale.isEmpty))
      }
    }
    return rules
  }
}
