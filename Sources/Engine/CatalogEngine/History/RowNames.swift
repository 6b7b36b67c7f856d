import CatalogModel
import CatalogStore
package import Projections

/// Finds the name of a row, which a list of changes shows beside its id. The row's own columns give the name
/// (`ColumnDescription.isName`); a row without such a column has the names of the rows that its key refers to.
package final class RowNames {
  private let targets: [[Int: TableDescription]]
  private let read: (TableDescription, [Value]) throws -> [Value]?
  private var known: [RowAddress: String?] = [:]

  /// - Parameter read: finds a row by its key, as it was last; nil if there never was one.
  init(_ schema: Schema, _ read: @escaping (TableDescription, [Value]) throws -> [Value]?) {
    targets = schema.namedTables
    self.read = read
  }

  /// The name of a row: `Rain on tin`, and of a row that joins others `Rain on tin · calm`; nil if it has none.
  package func name(of table: TableDescription, _ row: [Value]) throws -> String? {
    if let name = Self.ownName(of: table, row) { return name }
    let references = try references(of: table, row)
    let names = table.key.compactMap { references[$0] }
    return names.isEmpty ? nil : names.joined(separator: " · ")
  }

  /// The names of the rows that the columns of a row name, by the columns' places.
  package func references(of table: TableDescription, _ row: [Value]) throws -> [Int: String] {
    var names: [Int: String] = [:]
    for (column, parent) in targets[table.ordinal] where row[column] != .null {
      names[column] = try name(of: parent, key: [row[column]])
    }
    return names
  }

  private func name(of table: TableDescription, key: [Value]) throws -> String? {
    let address = RowAddress(table, key: key)
    if let name = known[address] { return name }
    let name = try read(table, key).flatMap { Self.ownName(of: table, $0) }
    known[address] = .some(name)
    return name
  }

  private static func ownName(of table: TableDescription, _ row: [Value]) -> String? {
    let parts = table.columns.indices.filter { table.columns[$0].isName }.compactMap {
      row[$0].words
    }
    return parts.isEmpty ? nil : parts.joined(separator: " · ")
  }
}

extension Schema {
  /// For each table the columns that name a row of another table by its key.
  fileprivate var namedTables: [[Int: TableDescription]] {
    var targets: [[Int: TableDescription]] = tables.map { _ in [:] }
    for reference in references + namingReferences
    where reference.columns.count == 1 && reference.parentColumns == reference.parent.key {
      targets[reference.child.ordinal][reference.columns[0]] = reference.parent
    }
    return targets
  }
}

extension PastStates {
  /// Names of rows up to a moment.
  package func names(through last: UInt64) throws -> RowNames {
    let history = try openHistory(through: last)
    return RowNames(log.kind.schema) { table, key in
      try history.versions(of: table, key: key, through: last).last?.row
    }
  }
}

extension RowNames {
  /// Names of rows that a revert changes or leaves, and of those to which they refer.
  package convenience init(_ schema: Schema, of draft: RevertDraft<some Sendable>) {
    self.init(schema) { try draft.row($0, $1) }
  }

  /// Names that are made of a row's own values, without those of other rows.
  package convenience init(alone schema: Schema) {
    self.init(schema) { _, _ in nil }
  }

  /// Names of rows in one of several states, in the first that has the row.
  package convenience init(_ kind: any CatalogKind, in states: [PastDatabase]) {
    self.init(kind.schema) { table, key in
      for state in states {
        if let row = try state.row(of: table, key: key) { return row }
      }
      return nil
    }
  }
}

extension Value {
  /// As a name has it; nil if it is nothing or bytes.
  fileprivate var words: String? {
    switch self {
    case .null, .blob: nil
    case .integer(let integer): String(integer)
    case .real(let real): String(real)
    case .text(let text): text
    case .id(let id): id.description
    case .time(let time): time.description
    }
  }
}

extension PastDatabase {
  /// A row by its key; nil if there is none.
  package func row(of table: TableDescription, key: [Value]) throws -> [Value]? {
    if let (history, sequence) = try history() {
      return try history.row(of: table, key: key, at: sequence)
    }
    return try read { database in
      let statement = try PreparedStatement(
        database, "SELECT \(table.columnList) FROM \(table.sqlName) WHERE \(table.keyCondition)",
        key)
      guard try statement.step() else { return nil }
      return table.values(from: table.columns.indices.map { StoredValue(statement.cell($0)) })
    }
  }
}
