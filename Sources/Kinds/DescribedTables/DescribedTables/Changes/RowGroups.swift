import CatalogEngine
import CatalogModel
import Projections

/// Makes events of rows: as few as their limits allow.
struct RowGroups {
  /// Rows of one event.
  static let rowLimit = 500
  /// Bytes of the values of one event, about: a line of the log stays short enough to look at.
  static let byteLimit = 64 << 10

  /// Events that put rows of a document into a table.
  ///
  /// - Parameters:
  ///   - rows: numbers of rows of the document.
  ///   - places: of the columns that the events give.
  ///   - isWhole: whether all rows belong into one event, whatever their number.
  static func put(
    _ rows: [Int], of document: DocumentRows, at places: [Int], isWhole: Bool = false
  ) -> PlannedEvents<TableEvent> {
    var cells: [PackedCell] = []
    let groups = split(rows.count, isWhole: isWhole) { place in
      document.read(rows[place], into: &cells)
      return places.reduce(0) { $0 + cells[$1].lengthInEvent }
    }
    let table = document.table.name
    let columns = places.map { document.columns[$0].name }
    return PlannedEvents(
      count: groups.count, release: { document.removeAll() },
      event: { group in
        var cells: [PackedCell] = []
        let values = rows[groups[group]].map { row in
          document.read(row, into: &cells)
          return places.map { cells[$0].value }
        }
        return .rowsPut(
          RestoredRows(table: table, columns: columns, rows: values, key: [], gone: []))
      })
  }

  /// Events that put rows into a table.
  ///
  /// - Parameter columns: the names of the columns of `rows`.
  static func put(
    _ rows: [[Value]], columns: [String], in table: String
  ) -> PlannedEvents<TableEvent> {
    let groups = split(rows.count) { length(rows[$0]) }
    return PlannedEvents(count: groups.count) { group in
      .rowsPut(
        RestoredRows(
          table: table, columns: columns, rows: Array(rows[groups[group]]), key: [], gone: []))
    }
  }

  /// Events that remove rows of a table.
  ///
  /// - Parameter key: the names of the key's columns.
  static func remove(
    _ keys: [[Value]], key: [String], from table: String
  ) -> PlannedEvents<TableEvent> {
    let groups = split(keys.count) { length(keys[$0]) }
    return PlannedEvents(count: groups.count) { group in
      .rowsPut(
        RestoredRows(
          table: table, columns: [], rows: [], key: key, gone: Array(keys[groups[group]])))
    }
  }

  private static func length(_ row: [Value]) -> Int {
    row.reduce(0) { $0 + $1.withCell { $0.lengthInEvent } }
  }

  /// - Parameter length: the bytes of the row of a place in an event, about.
  private static func split(
    _ count: Int, isWhole: Bool = false, length: (Int) -> Int
  ) -> [Range<Int>] {
    guard !isWhole else { return count == 0 ? [] : [0..<count] }
    var groups: [Range<Int>] = []
    var start = 0
    var bytes = 0
    for place in 0..<count {
      let length = length(place)
      if place > start, place - start >= rowLimit || bytes + length > byteLimit {
        groups.append(start..<place)
        start = place
        bytes = 0
      }
      bytes += length
    }
    if start < count { groups.append(start..<count) }
    return groups
  }
}

extension PackedCell {
  /// Bytes of the value in a line of the log, about.
  fileprivate var lengthInEvent: Int {
    switch self {
    case .null: 5
    case .integer, .real: 10
    case .text(let bytes): bytes.count + 3
    case .id: 39
    case .time: 27
    case .blob(let bytes): bytes.count * 4 / 3 + 15
    }
  }
}
