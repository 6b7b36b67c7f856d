import CatalogEngine
import CatalogModel
import Projections

/// Makes events of rows: as few as their limits allow.
struct RowGroups {
  /// Rows of one event.
  static let rowLimit = 500
  /// Bytes of the values of one event, about: a line of the log stays short enough to look at.
  static let byteLimit = 64 << 10

  /// The most bytes that the values of a row may have in a line of the log: a line has 64 MiB, and its other members are short.
  static let longestRow = 63 << 20

  /// Makes sure that each row that a document changes fits into a line of the log.
  ///
  /// - Throws: `DocumentError` about the first that does not.
  static func requireFitting(
    _ difference: TableDifference, of document: TableDocument
  ) throws(DocumentError) {
    let every = Array(difference.rows.columns.indices)
    let key = Array(every.prefix(difference.rows.keyCount))
    for row in difference.added { try requireFitting(Int(row), every, difference, document) }
    for group in difference.changed {
      for row in group.rows { try requireFitting(row, key + group.columns, difference, document) }
    }
  }

  /// - Parameter places: of the columns that the event of the row gives.
  private static func requireFitting(
    _ row: Int, _ places: [Int], _ difference: TableDifference, _ document: TableDocument
  ) throws(DocumentError) {
    let rows = difference.rows
    // A character of a text becomes six bytes at most.
    guard rows.length(row) > longestRow / 6 else { return }
    var cells: [PackedCell] = []
    rows.read(row, into: &cells)
    let lengths = places.map { (place: $0, length: cells[$0].lengthInLine) }
    guard lengths.reduce(0, { $0 + $1.length }) > longestRow,
      let longest = lengths.max(by: { $0.length < $1.length })
    else { return }
    let key = (0..<rows.keyCount).map {
      "\(rows.columns[$0].name)=\(cells[$0].value.shownToPeople)"
    }
    let name = rows.table.key == .wholeRow ? "" : "[\(key.joined(separator: ", "))]"
    throw DocumentError(
      code: .invalidValue, file: document.source,
      path: JSONExcerpt.printable(
        "\(rows.table.name)\(name).\(rows.columns[longest.place].name)"),
      message: tooLong,
      advice: "leave the column out of the document, or make the value shorter")
  }

  /// Says that a row needs more than `longestRow` bytes.
  static let tooLong =
    "the row has more bytes than a line of the log may have, which is \(longestRow >> 20) MiB in JSON"

  /// Events that put rows of a document into a table.
  ///
  /// - Parameters:
  ///   - rows: numbers of rows of the document.
  ///   - places: of the columns that the events give.
  ///   - isWhole: whether all rows belong into one event, whatever their number.
  static func put<Row: BinaryInteger & Sendable>(
    _ rows: [Row], of document: DocumentRows, at places: [Int], isWhole: Bool = false
  ) -> PlannedEvents<TableEvent> {
    var cells: [PackedCell] = []
    let groups = split(rows.count, isWhole: isWhole) { place in
      document.read(Int(rows[place]), into: &cells)
      return places.reduce(0) { $0 + cells[$1].lengthInEvent }
    }
    let table = document.table.name
    let columns = places.map { document.columns[$0].name }
    return PlannedEvents(
      count: groups.count, release: { document.removeAll() },
      event: { group in
        var cells: [PackedCell] = []
        let values = rows[groups[group]].map { row in
          document.read(Int(row), into: &cells)
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
  /// Bytes of the value in a line of the log, at most.
  var lengthInLine: Int {
    guard case .text(let bytes) = self else { return lengthInEvent }
    return bytes.reduce(3) { length, byte in
      switch byte {
      case 0x22, 0x5C, 0x08...0x0A, 0x0C...0x0D: length + 2
      case 0x00..<0x20: length + 6
      default: length + 1
      }
    }
  }

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
