import CatalogModel
import CatalogStore
import Projections

/// Finds values of unique columns that rows of a document have and other rows of the table, too. The rehearsal of the events would
/// refuse them without a place in the document.
struct UniqueCheck {
  private let difference: TableDifference
  private let document: TableDocument
  private let compiled: CompiledTable
  private let rows: ProvedRows
  private let columns: [Int]
  /// The columns by which rows are the same one, in a row of the table; all that the document has if the table has no key.
  private let keyColumns: [(name: String, place: Int)]
  private let removed: Set<[Value]>
  /// The keys of rows to which the document gives another value of a column. No two of its rows have the same one.
  private let givenUp: [Int: Set<[Value]>]

  /// The values that a document brings into unique columns and that another row of the table has afterwards; nil if there are none.
  static func fault(
    _ difference: TableDifference, of document: TableDocument, in compiled: CompiledTable,
    _ rows: ProvedRows
  ) throws -> DocumentError? {
    guard difference.presentCount > 0, let check = UniqueCheck(difference, document, compiled, rows)
    else { return nil }
    var faults = TableFaults()
    for row in difference.added { try check.find(Int(row), in: check.columns, &faults) }
    for group in difference.changed {
      let columns = check.columns.filter(group.columns.contains)
      guard !columns.isEmpty else { continue }
      for row in group.rows { try check.find(row, in: columns, &faults) }
    }
    return faults.error
  }

  /// - Returns: nil if the rehearsal has to find such values.
  private init?(
    _ difference: TableDifference, _ document: TableDocument, _ compiled: CompiledTable,
    _ rows: ProvedRows
  ) {
    let given = difference.rows
    columns = given.columns.indices.filter {
      given.columns[$0].isUnique && !(given.keyCount == 1 && $0 == 0)
    }
    // A row that goes with one of another table gives its values up, too.
    let goesWithOthers = compiled.described.columns.contains { $0.reference?.gone == .remove }
    guard !columns.isEmpty, !goesWithOthers else { return nil }
    keyColumns = given.columns.prefix(given.keyCount).compactMap { column in
      compiled.table.index(of: column.name).map { (column.name, $0) }
    }
    removed = Set(difference.removed.map(\.key))
    var givenUp: [Int: Set<[Value]>] = [:]
    for group in difference.changed {
      let own = columns.filter(group.columns.contains)
      guard !own.isEmpty else { continue }
      let keys = group.rows.map { Array(given.values($0).prefix(given.keyCount)) }
      for column in own { givenUp[column, default: []].formUnion(keys) }
    }
    self.givenUp = givenUp
    (self.difference, self.document) = (difference, document)
    (self.compiled, self.rows) = (compiled, rows)
  }

  private func find(_ row: Int, in columns: [Int], _ faults: inout TableFaults) throws {
    let given = difference.rows
    for column in columns {
      let value = given.value(column, of: row)
      guard value != .null else { continue }
      let name = given.columns[column].name
      for other in try rows.rows(by: compiled.index(of: name), equal: [value]) {
        let key = keyColumns.map { other[$0.place] }
        guard key != self.key(of: row), !removed.contains(key),
          givenUp[column]?.contains(key) != true
        else {
          continue
        }
        let shown = zip(keyColumns, key).map { "\($0.name)=\($1.shownToPeople)" }
        faults.add {
          var fault = DocumentError(
            code: .duplicateValue, file: document.source, value: value.shownToPeople,
            message:
              "is also in the row \(shown.joined(separator: ", ")) of \(compiled.table.name), and is unique",
            advice: "write another value, or change that row in the same document")
          document.place(given.origin(row), column: name, in: &fault)
          return fault
        }
      }
    }
  }

  private func key(of row: Int) -> [Value] {
    Array(difference.rows.values(row).prefix(difference.rows.keyCount))
  }
}

extension TableDocument {
  /// Notes the place of a row in a fault.
  ///
  /// - Parameter origin: the row's, as `DocumentRows` has it.
  func place(_ origin: Int, column: String? = nil, in fault: inout DocumentError) {
    switch format {
    case "JSON":
      fault.path = column
      fault.offset = origin
    case let format where format.hasPrefix("SQLite"):
      fault.path = "row \(origin)" + (column.map { ", \($0)" } ?? "")
    default:
      fault.path = "line \(origin)" + (column.map { ", \($0)" } ?? "")
      fault.line = origin
    }
  }
}
