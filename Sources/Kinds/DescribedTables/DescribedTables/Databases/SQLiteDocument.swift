import CatalogModel
import CatalogStore
import GRDB
import Projections

/// Reads the tables of another program's database into the rows of a description.
struct SQLiteDocument {
  private let reader: TableDocumentReader
  private let source: SourceFile
  private let copy: DatabaseCopy

  init(_ reader: TableDocumentReader, _ source: SourceFile) throws(DocumentError) {
    self.reader = reader
    self.source = source
    guard let copy = source.database else { throw source.notADatabase }
    self.copy = copy
  }

  /// The origin of the rows of a table.
  private struct Plan {
    let rows: DocumentRows
    let table: DatabaseSchema.Table
    /// The names of the columns in the database.
    let names: [String]
    let keyCount: Int
  }

  func read() throws(DocumentError) -> TableDocument {
    guard reader.request.scope.isEmpty else {
      throw DocumentError(
        code: .invalidValue, file: source.name, message: "a database is not a part of one table",
        advice: "import it without a scope")
    }
    var document = TableDocument(
      source: source.name, size: source.size, sha256: copy.sha256, modified: source.modified,
      format: TableDocument.databaseFormat, tables: [], isComplete: reader.isComplete, scope: [])
    var faults = TableFaults()
    let tables = try copy.read { database -> [DocumentRows] in
      let schema = try DatabaseSchema(database).spelled(as: reader.document.names(in: reader.kind))
      try copy.requireUsable(schema, database)
      let plans = plans(schema, &faults)
      guard faults.count == 0 else { return [] }
      for plan in plans { try fill(plan, database, &document, &faults) }
      return plans.map(\.rows)
    }
    if let error = faults.error { throw error }
    document.tables = tables
    return document
  }

  // MARK: Schema

  private func plans(_ schema: DatabaseSchema, _ faults: inout TableFaults) -> [Plan] {
    var plans: [Plan] = []
    var known: Set<String> = []
    for rows in reader.rows {
      guard let described = reader.kind.table(rows.table) else { continue }
      let name = rows.at ?? rows.table
      guard let found = schema.table(name) else {
        faults.add {
          fault(name, "the database has no such table", "drop it from the description")
        }
        continue
      }
      let columns = TableDocumentReader.columns(of: described)
      let names = columns.map { column in
        rows.columns.first { $0.column == column.name }?.from ?? column.name
      }
      let table = found.numbered(if: names.contains)
      known.insert(table.name)
      let present = Set(table.columns.map(\.name))
      for name in names where !present.contains(name) {
        faults.add {
          fault(
            "\(table.name).\(name)", "the database has no such column",
            "drop it from the description")
        }
      }
      let passedOver = described.columns.filter { !$0.isKept }.map { column in
        rows.columns.first { $0.column == column.name }?.from ?? column.name
      }
      if reader.document.others == .refuse {
        let ours = Set(names + passedOver)
        for column in table.columns where !ours.contains(column.name) {
          let place = "\(table.name).\(column.name)"
          guard !reader.document.ignored.contains(place) else { continue }
          faults.add {
            fault(place, "the description has no such column", "add it to the description")
          }
        }
      }
      let keyCount = described.key == .wholeRow ? columns.count : described.keyColumns.count
      plans.append(
        Plan(
          rows: DocumentRows(described, columns: columns, keyCount: keyCount), table: table,
          names: names, keyCount: keyCount))
    }
    if reader.document.others == .refuse {
      for table in schema.tables
      where !known.contains(table.name) && !reader.document.ignored.contains(table.name) {
        faults.add {
          fault(table.name, "the description has no such table", "add it to the description")
        }
      }
    }
    return plans
  }

  private func fault(_ path: String, _ message: String, _ advice: String) -> DocumentError {
    DocumentError(
      code: .invalidValue, file: source.name, path: JSONExcerpt.printable(path), message: message,
      advice: advice)
  }

  // MARK: Rows

  private func fill(
    _ plan: Plan, _ database: Database, _ document: inout TableDocument,
    _ faults: inout TableFaults
  ) throws {
    let columns = plan.rows.columns
    let statement = try PreparedStatement(database, plan.table.selection(plan.names))
    var row = RowBuffer()
    var number = 0
    var negativeZeros = 0
    var otherKey: String?
    while try statement.step() {
      number += 1
      row.removeAll()
      var keyLength = 0
      var isFit = true
      for (place, column) in columns.enumerated() {
        if place == plan.keyCount { keyLength = row.count }
        let cell = statement.cell(place)
        if let message = problem(cell, column) {
          isFit = false
          // A key stays, and a column of it is in each description.
          let isKey = plan.rows.table.keyColumns.contains(column.name)
          if isKey { otherKey = try otherKey ?? advice(of: plan, database) }
          let way =
            isKey
            ? otherKey
            : reader.request.words.leavingOut("\(plan.table.name).\(plan.names[place])")
          faults.add { fault(place: plan.names[place], of: plan, statement, message, way ?? "") }
          continue
        }
        if case .real(let real) = cell, real == 0, real.sign == .minus { negativeZeros += 1 }
        DatabaseCell.append(cell, column, to: &row)
      }
      guard isFit else { continue }
      if plan.keyCount == columns.count { keyLength = row.count }
      guard let other = plan.rows.add(row, keyLength: keyLength, origin: number) else { continue }
      otherKey = try otherKey ?? advice(of: plan, database)
      faults.add {
        DocumentError(
          code: .duplicateValue, file: source.name, path: place(of: plan, statement),
          message: "rows \(plan.rows.origin(other)) and \(number) of the table have the same key",
          advice: otherKey)
      }
    }
    if negativeZeros > 0 {
      document.notes.append(
        "\(source.name): \(plan.table.name): \(negativeZeros) \(negativeZeros == 1 ? "zero with a minus becomes" : "zeros with a minus become") 0"
      )
    }
  }

  private func problem(_ cell: PreparedStatement.Cell, _ column: DescribedColumn) -> String? {
    if let problem = DatabaseCell.problem(cell) { return problem }
    guard !DatabaseCell.fits(cell, column) else { return nil }
    return "is \(DatabaseCell.noun(cell)), and the column has \(column.type.noun)"
  }

  /// The advice to name another key, with the one that would hold now, if there is one.
  private func advice(of plan: Plan, _ database: Database) throws -> String {
    let advice = reader.request.words.key(plan.table.name)
    let key = Set(plan.names.prefix(plan.keyCount))
    for unique in plan.table.uniqueSets where Set(unique) != key {
      let (_, evidence) = try DatabaseEvidence.of(plan.table, unique, in: database)
      let holds = plan.table.columns.filter { unique.contains($0.name) }.allSatisfy { column in
        guard let found = evidence[column.name] else { return false }
        let type = found.type(in: column)
        return found.nulls == 0 && found.problems.isEmpty && type != .any && type.canBeKey
      }
      if holds { return advice.replacing("=…", with: "=\(unique.joined(separator: ","))") }
    }
    return advice
  }

  private func fault(
    place name: String, of plan: Plan, _ statement: PreparedStatement, _ message: String,
    _ way: String
  ) -> DocumentError {
    return DocumentError(
      code: .invalidValue, file: source.name,
      path: "\(place(of: plan, statement)).\(JSONExcerpt.printable(name))", message: message,
      advice: "correct it in the program that made it, or \(way)")
  }

  /// `products[sku='SKU-00001']`
  private func place(of plan: Plan, _ statement: PreparedStatement) -> String {
    let name = JSONExcerpt.printable(plan.table.name)
    guard plan.keyCount < plan.names.count || plan.rows.table.key != .wholeRow else {
      return name
    }
    let key = (0..<plan.keyCount).map {
      "\(plan.names[$0])=\(StoredValue(statement.cell($0)))"
    }
    return "\(name)[\(JSONExcerpt.printable(key.joined(separator: ", ")))]"
  }
}
