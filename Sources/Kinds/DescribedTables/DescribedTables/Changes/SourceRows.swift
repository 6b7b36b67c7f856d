package import CatalogEngine
import CatalogModel
import Projections

/// The rows of a described catalog that came from one source: those that its batches added, or in which they changed something.
///
/// A row that was removed and added again by another source is the other one's. Of rows that a document had as they were, the log
/// has no event.
package struct SourceRows: Sendable {
  /// As `blame` shows it: `import:nightly`.
  package let source: String
  /// The rows of each table, by its name; of a table with a key the values of the key.
  private let tables: [String: [[Value]]]

  /// - Parameters:
  ///   - names: of the tables.
  ///   - states: those of the catalog.
  package init(
    of source: String, in names: [String], from states: PastStates
  ) throws {
    self.source = source
    let states = try states.withHistory()
    // A description that the documents need, and the log does not have yet, is another one.
    let kind = states.log.kind
    let last = try states.log.head()?.sequence ?? 0
    var tables: [String: [[Value]]] = [:]
    for name in names {
      guard let table = kind.schema.tables.first(where: { $0.name == name }) else { continue }
      let isWholeRow = (kind as? DescribedKind)?.description.table(name)?.key == .wholeRow
      var rows: [[Value]] = []
      try states.forEachRow(of: table, writtenBy: source, through: last) { row in
        rows.append(isWholeRow ? Array(row.dropFirst()) : table.key(of: row))
      }
      tables[name] = rows
    }
    self.tables = tables
  }

  /// The keys of the rows of a document's table, as documents pack them.
  func keys(of rows: DocumentRows) -> Set<[UInt8]> {
    let table = rows.table
    let key = Array(rows.columns.prefix(rows.keyCount))
    // A row without a key has its values in the order of the description.
    let names =
      table.key == .wholeRow ? table.columns.filter(\.isKept).map(\.name) : key.map(\.name)
    let places = key.compactMap { column in names.firstIndex(of: column.name) }
    var keys: Set<[UInt8]> = []
    var packed = RowBuffer()
    for values in tables[table.name] ?? [] {
      packed.removeAll()
      for (column, place) in zip(key, places) {
        packed.append(column.type.documentValue(values[place]))
      }
      keys.insert(Array(packed.bytes))
    }
    return keys
  }
}

extension DescribedType {
  /// A value of a table's row as documents have it: a kind's rows may keep an id as its text, and a whole number as a real one.
  fileprivate func documentValue(_ value: Value) -> Value {
    switch (value, self) {
    case (.text(let text), .id): EntityID(text).map(Value.id) ?? value
    case (.integer(let integer), .number): .real(Double(integer))
    case (.time(let time), _): .text(time.description)
    default: value
    }
  }
}
