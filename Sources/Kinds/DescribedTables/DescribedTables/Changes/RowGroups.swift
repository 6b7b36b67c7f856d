import CatalogModel
import Projections

/// Makes events of rows: as few as their limits allow.
struct RowGroups {
  /// Rows of one event.
  static let rowLimit = 500
  /// Bytes of the values of one event, about: a line of the log stays short enough to look at.
  static let byteLimit = 64 << 10

  /// Events that put rows into a table.
  ///
  /// - Parameters:
  ///   - columns: the names of the columns of `rows`.
  ///   - isWhole: whether all rows belong into one event, whatever their number.
  static func put(
    _ rows: some Sequence<[Value]>, columns: [String], in table: String, isWhole: Bool = false
  ) -> [TableEvent] {
    split(rows, isWhole: isWhole).map {
      .rowsPut(RestoredRows(table: table, columns: columns, rows: $0, key: [], gone: []))
    }
  }

  /// Events that remove rows of a table.
  ///
  /// - Parameter key: the names of the key's columns.
  static func remove(
    _ keys: some Sequence<[Value]>, key: [String], from table: String
  ) -> [TableEvent] {
    split(keys, isWhole: false).map {
      .rowsPut(RestoredRows(table: table, columns: [], rows: [], key: key, gone: $0))
    }
  }

  private static func split(
    _ rows: some Sequence<[Value]>, isWhole: Bool
  ) -> [[[Value]]] {
    var groups: [[[Value]]] = []
    var group: [[Value]] = []
    var bytes = 0
    for row in rows {
      let length = row.reduce(0) { $0 + $1.lengthInEvent }
      let isFull = group.count >= rowLimit || bytes + length > byteLimit
      if !isWhole, isFull, !group.isEmpty {
        groups.append(group)
        group = []
        bytes = 0
      }
      group.append(row)
      bytes += length
    }
    if !group.isEmpty { groups.append(group) }
    return groups
  }
}

extension Value {
  /// Bytes of the value in a line of the log, about.
  fileprivate var lengthInEvent: Int {
    switch self {
    case .null: 5
    case .integer, .real: 10
    case .text(let text): text.utf8.count + 3
    case .id: 39
    case .time: 27
    case .blob(let bytes): bytes.count * 4 / 3 + 15
    }
  }
}
