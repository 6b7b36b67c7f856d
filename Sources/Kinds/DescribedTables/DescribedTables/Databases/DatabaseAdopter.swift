import CatalogModel
import CatalogStore
import GRDB
import Projections

/// Makes a description of the schema and the values of a database.
struct DatabaseAdopter {
  private(set) var tables: [Adoption.Table] = []
  private(set) var leftOut: [String] = []
  private(set) var remarks: [String] = []
  private(set) var faults = TableFaults()
  private(set) var facts: [String: Adoption.Fact] = [:]
  private var description: KindDescription
  private var document: DescribedDocument
  /// The names of the number of a row in the tables that have no other key.
  private var numbered: [String: String] = [:]
  private let file: String
  private var choices: Adoption.Choices
  private let words: DocumentWords

  init(
    _ file: String, kind: String, document: String, _ choices: Adoption.Choices,
    _ words: DocumentWords
  ) {
    self.file = file
    self.choices = choices
    self.words = words
    description = KindDescription(kind: kind, tables: [])
    self.document = DescribedDocument(document, format: .sqlite, complete: true)
  }

  /// The description with its document.
  var finished: KindDescription {
    var finished = description
    finished.documents = [document]
    return finished
  }

  mutating func adopt(_ schema: DatabaseSchema, _ database: Database) throws {
    if !choices.isOfCatalog {
      choices.keys = choices.keys.map { Self.spelled($0, in: schema) }
      requireKnownChoices(schema)
    }
    let taken = schema.tables.filter { !choices.without.contains($0.name) }
    guard !taken.isEmpty else {
      refuse(nil, "the database has no table to adopt", "check that it is the right file")
      return
    }
    let names = ColumnNames(tables: taken.map(\.name))
    for found in taken {
      let stated = choices.keys.first { $0.table == found.name }?.columns
      var table = found.numbered { stated?.contains($0) ?? false }
      guard !columns(of: table).isEmpty else {
        refuse(table.name, "the table has no column that is kept", words.leavingOut(table.name))
        continue
      }
      let count = columns(of: table).count
      guard count <= DescriptionParser.columnLimit else {
        refuse(
          table.name,
          "the table has \(count) columns, and a table of a catalog at most \(DescriptionParser.columnLimit)",
          words.leavingOut(table.name))
        continue
      }
      var (rows, evidence) = try DatabaseEvidence.of(table, columns(of: table), in: database)
      if choices.rowIDs, stated == nil, let number = table.rowID,
        key(of: table, columns(of: table), evidence).columns.isEmpty
      {
        table = table.numbered { _ in true }
        numbered[table.name] = number
        (rows, evidence) = try DatabaseEvidence.of(table, columns(of: table), in: database)
      }
      try describe(table, columns(of: table), rows, evidence, names, database)
    }
    try refer(schema, names, database)
    note(schema)
    document.ignored = choices.without
    document.leftOut = schema.leftOutNames { name in taken.contains { $0.name == name } }
  }

  private func columns(of table: DatabaseSchema.Table) -> [String] {
    table.columns.map(\.name).filter { !choices.without.contains("\(table.name).\($0)") }
  }

  // MARK: A table

  private mutating func describe(
    _ table: DatabaseSchema.Table, _ names: [String], _ rows: Int,
    _ evidence: [String: DatabaseEvidence], _ tableNames: ColumnNames, _ database: Database
  ) throws {
    let columnNames = ColumnNames(names)
    var columns: [DescribedColumn] = []
    let key = key(of: table, names, evidence)
    for column in table.columns where names.contains(column.name) {
      guard let found = evidence[column.name] else { continue }
      let place = "\(table.name).\(column.name)"
      for problem in found.problems where !choices.isOfCatalog {
        let row = try self.row(problem.row, of: table, names, key.columns, database)
        refuse(
          "\(table.name)\(row).\(column.name)",
          problem.message + (problem.count > 1 ? " (\(problem.count) rows)" : ""),
          "correct it in the program that made it, or \(words.leavingOut(place))"
        )
      }
      var fact = found.fact
      fact.isUnique = table.uniqueSets.contains([column.name])
      facts[place] = fact
      let type = found.type(in: column)
      let isKey = key.columns.contains(column.name)
      columns.append(
        DescribedColumn(
          columnNames[column.name], type,
          optional: !isKey && (found.nulls > 0 || !column.isNotNull),
          unique: !isKey && type != .any && type != .blob && table.uniques.contains([column.name]),
          isName: type == .text && !isKey && column.isName))
    }
    let name = tableNames[table.name]
    description.tables.append(
      DescribedTable(
        name,
        key: key.columns.isEmpty ? .wholeRow : .columns(key.columns.map { columnNames[$0] }),
        columns: columns))
    document.rows.append(
      DescribedDocument.Rows(
        name, at: name == table.name ? nil : table.name,
        columns: names.filter { columnNames[$0] != $0 }.map {
          DescribedDocument.Source(columnNames[$0], from: $0)
        }))
    tables.append(
      Adoption.Table(
        name: name, source: table.name, rows: rows, key: key.columns.map { columnNames[$0] },
        keyBecause: key.because))
    leftOut += table.generatedSentences
  }

  /// A row as it is named to people: `[id=2]`, or its number if the table has no key.
  ///
  /// - Parameters:
  ///   - number: from 1, in the order of the statement that reads all rows.
  ///   - columns: those that the statement read: with others SQLite could walk another index.
  private func row(
    _ number: Int, of table: DatabaseSchema.Table, _ columns: [String], _ key: [String],
    _ database: Database
  ) throws -> String {
    guard !key.isEmpty else { return "[row \(number)]" }
    let statement = try PreparedStatement(
      database, table.selection(columns) + " LIMIT 1 OFFSET \(number - 1)")
    guard try statement.step() else { return "[row \(number)]" }
    let cells = key.compactMap { name in
      columns.firstIndex(of: name).map { "\(name)=\(StoredValue(statement.cell($0)))" }
    }
    return "[\(cells.joined(separator: ", "))]"
  }

  /// The columns that identify the rows, and why they are not the primary key.
  private mutating func key(
    of table: DatabaseSchema.Table, _ columns: [String], _ evidence: [String: DatabaseEvidence]
  ) -> (columns: [String], because: String?) {
    func problem(_ key: [String]) -> String? {
      for name in key {
        guard let column = table.columns.first(where: { $0.name == name }),
          let found = evidence[name], columns.contains(name)
        else { return "\(name) is left out" }
        if found.nulls > 0 {
          return "\(name) is NULL in \(CountWords.of(found.nulls, "row"))"
        }
        let type = found.type(in: column)
        if type == .any { return "\(name) can have values of several types" }
        if !type.canBeKey { return "\(name) has \(type.noun)" }
      }
      return nil
    }
    if let stated = choices.keys.first(where: { $0.table == table.name }) {
      if choices.isOfCatalog { return (stated.columns, nil) }
      guard let problem = problem(stated.columns) else { return (stated.columns, nil) }
      refuse(
        table.name, "\(stated.columns.joined(separator: ", ")) cannot be its key: \(problem)",
        "name other columns, or none")
      return (stated.columns, nil)
    }
    if let number = numbered[table.name] {
      return ([number], "SQLite's number of the row, which VACUUM can change")
    }
    let primary = table.primaryKey
    var because = "it has no primary key"
    if !primary.isEmpty {
      guard let found = problem(primary) else { return (primary, nil) }
      because = "its primary key cannot identify rows here: \(found)"
    }
    if let unique = table.uniques.first(where: { problem($0) == nil }) {
      return (unique, "\(because), and \(unique.joined(separator: ", ")) is unique")
    }
    return ([], because)
  }

  // MARK: References

  /// References are kept as facts about columns; no catalog enforces those of another program.
  private mutating func refer(
    _ schema: DatabaseSchema, _ names: ColumnNames, _ database: Database
  ) throws {
    var lost: [String] = []
    for table in schema.tables {
      guard let place = description.tables.firstIndex(where: { $0.name == names[table.name] }),
        !choices.without.contains(table.name)
      else { continue }
      let columnNames = ColumnNames(
        table.columns.map(\.name).filter { !choices.without.contains("\(table.name).\($0)") })
      for reference in table.references {
        guard
          let column = description.tables[place].columns.firstIndex(where: {
            $0.name == columnNames[reference.column]
          }), let parent = schema.table(reference.table),
          let target = description.table(names[parent.name]), target.keyColumns.count == 1,
          let key = target.column(target.keyColumns[0]),
          reference.to.map({ ColumnNames(parent.columns.map(\.name))[$0] == key.name })
            ?? (parent.primaryKey.count == 1),
          key.type == description.tables[place].columns[column].type
        else {
          lost.append("\(table.name).\(reference.column)")
          continue
        }
        description.tables[place].columns[column].reference =
          DescribedColumn.Reference(target.name, gone: .keep)
        if !choices.isOfCatalog {
          try countDangling(reference, of: table, parent, database)
        }
      }
      lost += table.wideReferences.map { "\(table.name).\($0)" }
    }
    guard !lost.isEmpty else { return }
    leftOut.append(
      "what \(lost.joined(separator: ", ")) refer\(lost.count == 1 ? "s" : "") to: it is not a key of one column"
    )
  }

  /// Notes rows that refer to no row. They are taken as they are.
  private mutating func countDangling(
    _ reference: DatabaseSchema.Reference, of table: DatabaseSchema.Table,
    _ parent: DatabaseSchema.Table, _ database: Database
  ) throws {
    guard let key = reference.to ?? parent.primaryKey.first else { return }
    func quoted(_ name: String) -> String { DatabaseSchema.quoted(name) }
    let column = "child.\(quoted(reference.column))"
    let statement = try PreparedStatement(
      database,
      "SELECT count(*) FROM \(quoted(table.name)) AS child WHERE \(column) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(quoted(parent.name)) AS parent WHERE parent.\(quoted(key)) = \(column))"
    )
    guard try statement.step(), case let count = statement.integer(0), count > 0 else { return }
    let rows = count == 1 ? "1 row refers" : "\(count) rows refer"
    remarks.append(
      "\(table.name).\(reference.column): \(rows) to no row of \(parent.name); \(count == 1 ? "it is" : "they are") taken all the same"
    )
  }

  // MARK: What is left out

  private mutating func note(_ schema: DatabaseSchema) {
    for name in choices.without { leftOut.append("\(name), as was asked") }
    leftOut += schema.leftOutSentences
  }

  /// A key with the names of the database, if it has those that a catalog of it has: advice about a key names these.
  private static func spelled(
    _ key: (table: String, columns: [String]), in schema: DatabaseSchema
  ) -> (table: String, columns: [String]) {
    let names = ColumnNames(tables: schema.tables.map(\.name))
    let table =
      schema.tables.first { $0.name == key.table }
      ?? schema.tables.first { names[$0.name] == key.table }
    guard let table else { return key }
    let columns = table.columns.map(\.name)
    let columnNames = ColumnNames(columns)
    return (
      table.name,
      key.columns.map { column in
        columns.contains(column) ? column : columns.first { columnNames[$0] == column } ?? column
      }
    )
  }

  private mutating func requireKnownChoices(_ schema: DatabaseSchema) {
    let known = schema.tables.flatMap { table in
      [table.name] + table.columns.map { "\(table.name).\($0.name)" }
    }
    for name in choices.without where !known.contains(name) {
      refuse(
        name, "the database has no such table or column",
        NearMiss.advice(for: name, among: known))
    }
    for key in choices.keys {
      guard let table = schema.tables.first(where: { $0.name == key.table }) else {
        refuse(
          key.table, "the database has no such table",
          NearMiss.advice(for: key.table, among: schema.tables.map(\.name)))
        continue
      }
      let columns = table.columns.map(\.name)
      for column in key.columns where !columns.contains(column) && column != table.rowID {
        refuse(
          "\(key.table).\(column)", "the table has no such column",
          NearMiss.advice(for: column, among: columns))
      }
    }
  }

  private mutating func refuse(_ path: String?, _ message: String, _ advice: String?) {
    let file = file
    faults.add {
      DocumentError(
        code: .invalidValue, file: file, path: path.map { JSONExcerpt.printable($0) },
        message: message, advice: advice)
    }
  }
}
