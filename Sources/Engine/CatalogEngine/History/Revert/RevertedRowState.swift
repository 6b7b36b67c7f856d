import Projections

/// A row that operations changed.
struct RevertedRowState {
  let table: TableDescription
  let key: [Value]
  /// Before the operations.
  let before: [Value]?
  /// After them.
  let after: [Value]?
  /// Now.
  let present: [Value]?
  /// Why it stays as it is; nil if it is brought back.
  var reason: RevertConflict.Reason?

  /// Bytes in an event, about.
  var length: Int { (before ?? key).reduce(0) { $0 + $1.length } }

  var address: RowAddress { RowAddress(table, key: key) }

  /// The values that the row has, or had, in some columns.
  func values(_ columns: ReversalRules.Columns) -> [[Value]] {
    var found: [[Value]] = []
    for row in [before, after, present].compactMap(\.self) {
      let values = columns.values(of: row)
      if !found.contains(values), !values.contains(.null) { found.append(values) }
    }
    return found
  }
}

extension Value {
  /// Bytes in an event, about.
  fileprivate var length: Int {
    switch self {
    case .null, .integer, .real: 8
    case .text(let text): text.utf8.count
    case .id: 36
    case .time: 24
    case .blob(let bytes): bytes.count * 4 / 3
    }
  }
}
