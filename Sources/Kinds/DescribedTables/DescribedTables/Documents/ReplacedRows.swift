import Projections

/// Finds the columns that identify the rows of a table whose keys were replaced: a program that deletes all rows and inserts
/// them again gives them new numbers.
struct ReplacedRows {
  /// The first rows that are gone are looked at, and no more than these.
  private static let limit = 20_000
  private static let mostColumns = 8

  /// The places among the cells after the key of columns that can be a key.
  private let places: [Int]
  private let names: [String]
  private var gone: Hashes

  /// The hashes of the cells of rows, a column after the other; nil if the column has NULL.
  private struct Hashes {
    var columns: [[UInt64]?]
    var rows = 0

    init(_ count: Int) { columns = Array(repeating: [], count: count) }

    mutating func add(_ rest: UnsafeRawBufferPointer, at places: [Int]) {
      guard var pointer = rest.baseAddress, let last = places.last else { return }
      rows += 1
      var next = 0
      for place in 0...last {
        let cell = DocumentCell.skip(&pointer)
        guard place == places[next] else { continue }
        if cell.first == DocumentCell.null {
          columns[next] = nil
        } else {
          columns[next]?.append(RowHash.of(cell))
        }
        next += 1
      }
    }

    /// The hashes of columns together; nil if a row has NULL there, or two rows have the same.
    func set(_ chosen: [Int]) -> Set<UInt64>? {
      guard var hashes = columns[chosen[0]] else { return nil }
      for column in chosen.dropFirst() {
        guard let others = columns[column] else { return nil }
        hashes = zip(hashes, others).map(RowHash.of)
      }
      let set = Set(hashes)
      return set.count == rows ? set : nil
    }
  }

  init(_ rows: DocumentRows) {
    let rest = rows.columns.dropFirst(rows.keyCount)
    let able = rest.enumerated().filter { $1.type.canBeKey && $1.attention == .full }
      .prefix(Self.mostColumns)
    places = able.map(\.offset)
    names = able.map(\.element.name)
    gone = Hashes(places.count)
  }

  /// Adds a row of the table that the document lacks: its cells after the key.
  mutating func add(_ rest: UnsafeRawBufferPointer) {
    if gone.rows < Self.limit { gone.add(rest, at: places) }
  }

  /// The columns of which no two rows have the same, and by which most rows that are gone are among the new ones; empty if there are
  /// none. One column is better than two.
  func key(added rests: some Sequence<UnsafeRawBufferPointer>) -> [String] {
    guard gone.rows > 0, !places.isEmpty else { return [] }
    var new = Hashes(places.count)
    for rest in rests { new.add(rest, at: places) }
    let columns = Array(places.indices)
    let pairs = columns.flatMap { one in columns[(one + 1)...].map { [one, $0] } }
    for candidates in [columns.map { [$0] }, pairs] {
      var best: (columns: [Int], count: Int) = ([], 0)
      for chosen in candidates {
        guard let before = gone.set(chosen), let after = new.set(chosen) else { continue }
        let count = before.count { after.contains($0) }
        if count > best.count { best = (chosen, count) }
      }
      if best.count * 2 > gone.rows { return best.columns.map { names[$0] } }
    }
    return []
  }
}
