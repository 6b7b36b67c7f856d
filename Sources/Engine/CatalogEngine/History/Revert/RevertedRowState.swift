import Projections

/// A row that operations changed, and what becomes of it.
struct RevertedRowState {
  let table: TableDescription
  /// With names for numbers, as all rows here.
  let key: [Value]
  /// Before the operations.
  let before: [Value]?
  /// After them.
  let after: [Value]?
  /// Now.
  let present: [Value]?
  /// The row that is restored, unless a reason keeps the present one; nil if it is removed.
  var target: [Value]?
  /// The columns that later events changed: they stay, whatever becomes of the others.
  var changedLater: [Int] = []
  /// The columns whose later values go, since the caller wants it.
  var overwritten: [Int] = []
  /// Members of a set that later events put in the place of those that the operations added: they stay.
  var united: Set<String> = []
  /// Columns whose values from before another row has, which must be unique, and those that stay for that reason.
  var taken: [(unique: [Int], kept: [Int])] = []
  /// Why it stays as it is, with a row of the plan; nil if it becomes what it is to be.
  var reason: RevertConflict.Reason?
  /// Whether a column by which it belongs to other rows was changed.
  var isStrict = false
  /// The row with which it goes, if a later event added it and people see both as that one.
  var owner: RowAddress?
  /// Whether it is written again though it stays as it is, since the kind would remove it.
  var isKept = false

  init(
    _ table: TableDescription, key: [Value], before: [Value]?, after: [Value]?, present: [Value]?
  ) {
    self.table = table
    self.key = key
    (self.before, self.after, self.present) = (before, after, present)
    target = before
  }

  /// Whether it stays as it is, or some of its cells do.
  var staysInPart: Bool { reason != nil || !changedLater.isEmpty || !taken.isEmpty }

  var address: RowAddress { RowAddress(table, key: key) }

  func names(_ columns: [Int]) -> [String] { columns.map { table.columns[$0].name } }

  /// The values of one of its states that no other row may have.
  func uniqueValues(of row: [Value]) -> [UniqueValues] {
    table.uniques.map { columns in
      UniqueValues(table: table.ordinal, columns: columns, values: columns.map { row[$0] })
    }
  }

  /// Whether the operations added it.
  var isAdded: Bool { before == nil && after != nil }

  /// Whether the operations removed it.
  var isRemoved: Bool { before != nil && after == nil }

  /// Whether the operations added it and it is to go.
  var isGoing: Bool { isAdded && present != nil && target == nil && reason == nil }

  /// Whether the operations added it and it stays.
  var isAddedAndStays: Bool { isAdded && present != nil && (reason != nil || target != nil) }

  /// Whether there is something to write.
  var isChange: Bool { reason == nil && (isKept || target != present) }

  /// The columns that are to get another value.
  var changedColumns: [Int] {
    guard let target, let present else { return Array(table.columns.indices) }
    return table.columns.indices.filter { target[$0] != present[$0] }
  }

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
  var length: Int {
    switch self {
    case .null, .integer, .real: 8
    case .text(let text): text.utf8.count
    case .id: 36
    case .time: 24
    case .blob(let bytes): bytes.count * 4 / 3
    }
  }
}
