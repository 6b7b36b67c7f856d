package import CatalogModel
package import CatalogStore
import Projections

/// A difference between the rows of a table and those that an import reads from its document.
package enum ExportFinding: Sendable {
  /// An import refuses the document.
  case refused(DocumentError)
  /// The document of this name in the description fills other tables.
  case otherTables
  /// An import finds another number of rows.
  case rows(Int)
  /// An import does not read a column.
  case absent(column: String)
  /// An import reads values of a column as others.
  case values(column: String, count: Int)
  /// An import gives rows of a table without a key other hidden keys: their values are the same.
  case hiddenKeys(Int)
}

/// A document of a table, read back as an import reads it.
package struct CheckedExport: Sendable {
  package var rows = 0
  package var bytes = 0
  package var sha256 = ""
  package var findings: [ExportFinding] = []
}

extension ExportedTable {
  /// Reads a document as an import of the description does, and compares it with the rows.
  ///
  /// - Parameters:
  ///   - source: the document that was written of the rows.
  ///   - rows: how many rows were written.
  ///   - each: calls its argument with each row of the statement, in the order in which they were written.
  package func check(
    _ source: SourceFile, rows: Int, _ words: DocumentWords = DocumentWords(),
    each: (_ body: ([StoredValue]) throws -> Void) throws -> Void
  ) throws -> CheckedExport {
    var checked = CheckedExport(rows: rows, bytes: source.size, sha256: try source.sha256())
    let document: TableDocument
    do throws(DocumentError) {
      document = try TableDocumentReader(kind, name, request(words)).read(source)
    } catch {
      checked.findings = [.refused(error)]
      return checked
    }
    guard document.tables.count == 1, let read = document.tables.first, read.table.name == name
    else {
      checked.findings = [.otherTables]
      return checked
    }
    guard read.count == rows else {
      checked.findings = [.rows(read.count)]
      return checked
    }
    checked.findings = try differences(read, each)
    return checked
  }

  private func differences(
    _ read: DocumentRows, _ each: (_ body: ([StoredValue]) throws -> Void) throws -> Void
  ) throws -> [ExportFinding] {
    let places = columns.map { column in read.columns.firstIndex { $0.name == column.name } }
    var other = Array(repeating: 0, count: columns.count)
    var otherKeys = 0
    var numbers = read.rows.makeIterator()
    try each { row in
      guard let number = numbers.next() else { return }
      let values = read.values(number)
      for (column, place) in places.enumerated() {
        guard let place, StoredValue(values[place]) != row[column] else { continue }
        other[column] += 1
      }
      if hasHiddenKey, let stored = row.last {
        let key = WholeRowKey.key(
          of: places.map { $0.map { values[$0] } ?? .null }, number: Int(read.repetition(number)))
        if StoredValue(key) != stored { otherKeys += 1 }
      }
    }
    var findings: [ExportFinding] = []
    for (column, place) in zip(columns.indices, places) {
      if place == nil {
        findings.append(.absent(column: columns[column].name))
      } else if other[column] > 0 {
        findings.append(.values(column: columns[column].name, count: other[column]))
      }
    }
    // Another value has another key.
    if findings.isEmpty, otherKeys > 0 { findings.append(.hiddenKeys(otherKeys)) }
    return findings
  }
}
