import CatalogModel
package import Projections

/// A described table as the engine has it.
package final class CompiledTable: Sendable {
  package let described: DescribedTable
  package let table: TableDescription
  /// The described columns in the order of the table's; nil in the place of a hidden key.
  package let columns: [DescribedColumn?]
  /// The value of a row that comes without one in a column. The table refuses NULL if it may not be.
  package let absent: [Value]

  /// The index of the words of the table's rows; nil if it is not searched.
  package let search: SearchIndex?

  /// The places of columns that can hold values which are not of their described types.
  private let narrowed: [(place: Int, type: DescribedType)]

  /// The name of the column that identifies equal rows of a table whose key is the whole row.
  static let hiddenKey = "_key"

  /// - Parameters:
  ///   - keys: the only column of the key of each table that others refer to.
  ///   - indexNames: names that no index can have, in small letters; those of this table's are added.
  init(_ described: DescribedTable, keys: [String: String], indexNames: inout Set<String>) {
    self.described = described
    var kept: [DescribedColumn?] = described.columns.filter(\.isKept)
    if case .wholeRow = described.key { kept.insert(nil, at: 0) }
    columns = kept
    absent = kept.map { $0?.absentValue ?? .null }
    narrowed = kept.enumerated().compactMap { place, column in
      column.flatMap { [.flag, .time].contains($0.type) ? (place, $0.type) : nil }
    }
    let key = described.keyColumns.isEmpty ? [Self.hiddenKey] : described.keyColumns
    var indexes: [TableIndex] = []
    var found: [[String]] = []
    func add(_ columns: [String], isUnique: Bool = false) {
      guard !found.contains(columns) else { return }
      found.append(columns)
      let names = columns.map { IndexedColumn.ascending($0) }
      if isUnique || key.starts(with: columns) {
        indexes.append(.lookup(names))
      } else {
        let wanted = "\(described.name)_by_\(columns.joined(separator: "_"))"
        var name = wanted
        var number = 2
        while !indexNames.insert(name.lowercased()).inserted {
          name = "\(wanted)_\(number)"
          number += 1
        }
        indexes.append(.index(name, on: names))
      }
    }
    for column in kept.compactMap(\.self) where column.isUnique {
      add([column.name], isUnique: true)
    }
    for columns in described.indexes { add(columns) }
    for column in kept.compactMap(\.self) where column.reference != nil { add([column.name]) }
    table = TableDescription(
      described.name,
      columns: kept.map { $0?.column(keys) ?? Column(Self.hiddenKey, .text) },
      key: key, indexes: indexes)
    search = described.search.isEmpty ? nil : SearchIndex(table, columns: described.search)
  }

  /// The index of a column that refers to another table.
  func index(of column: String) -> IndexReference {
    guard let place = table.index(of: column),
      let ordinal = table.indexes.firstIndex(where: { $0.columns == [place] })
    else { preconditionFailure("no index of \(column) in \(table.name)") }
    return IndexReference(table: table, ordinal: ordinal)
  }

  /// The reason for which a row cannot be one of the table although its values have the right types; nil if it can.
  func problem(_ row: [Value]) -> String? {
    for (place, type) in narrowed {
      guard let problem = type.problem(row[place]) else { continue }
      return "\(table.name).\(table.columns[place].name) \(problem)"
    }
    return nil
  }
}

extension DescribedColumn {
  /// The column as the engine has it.
  ///
  /// - Parameter keys: the only column of the key of each table that others refer to.
  fileprivate func column(_ keys: [String: String]) -> ColumnDescription {
    var key: ForeignKey?
    var names: String?
    if let reference, let parent = keys[reference.table] {
      switch reference.gone {
      case .keep: names = reference.table
      case .refuse: key = .to(reference.table, parent)
      case .remove: key = .to(reference.table, parent, onDelete: .cascade)
      }
    }
    return Column(
      name, type.columnType, nullable: isOptional, unique: isUnique, isName: isName, names: names,
      references: key)
  }
}

extension DescribedType {
  /// The reason for which a value that the column can hold is not one of the type; nil if it is one.
  func problem(_ value: Value) -> String? {
    switch (self, value) {
    case (.flag, .integer(let integer)) where integer != 0 && integer != 1:
      "is \(integer), should be 0 or 1"
    case (.time, .text(let text)) where Timestamp(text)?.description != text:
      "is not a time as 2026-01-31T12:00:00.000Z"
    default: nil
    }
  }
}
