import CatalogModel
import Projections

/// Brings the description of a database as it is now together with the one that a catalog has.
struct DescriptionMerge {
  private let old: KindDescription
  private let document: DescribedDocument
  private let now: Adoption
  private let choices: AdoptedChange.Choices
  /// Names that something new does not get.
  private let dropped: DroppedNames
  /// Tables and columns that are dropped though the database has them, by their names there.
  var leavingOut: [String] = []
  private(set) var result: KindDescription
  /// The names in the catalog of what is dropped.
  private(set) var dropping: Set<String> = []
  /// The choices that were about something.
  private(set) var met: Set<String> = []
  /// Names in the database that are gone, and those that came.
  private var gone: [Gone] = []
  private var new: [String] = []
  /// The new columns of each table that the catalog has, and the columns of each new table, by their names in the database.
  private var newColumns: [String: [String]] = [:]
  private var newTables: [(name: String, columns: Set<String>)] = []

  /// Names in the database of columns of keys that the caller drops.
  private var keys: [String] = []

  /// A name in the database that is gone.
  private enum Gone {
    case table(String, columns: Set<String>)
    /// A column of a table that is there still.
    case column(String, RenameSearch.Column)

    var name: String {
      switch self {
      case .table(let name, _), .column(let name, _): name
      }
    }

    /// The table of a column, by its name in the database; nil of a table.
    var owner: String? {
      switch self {
      case .table: nil
      case .column(_, let column): column.source
      }
    }

    var noun: String { if case .table = self { "table" } else { "column" } }

    /// The contents by which it is found under another name.
    var contents: String { if case .table = self { "columns" } else { "values" } }
  }

  init(
    _ old: KindDescription, _ document: DescribedDocument, _ now: Adoption,
    _ choices: AdoptedChange.Choices, _ dropped: DroppedNames
  ) {
    (self.old, self.document, self.now, self.choices) = (old, document, now, choices)
    self.dropped = dropped
    result = old
  }

  mutating func merge() {
    var document = document
    var tables: [DescribedTable] = []
    // The names in the result of tables by those of before and of now; a table that is dropped has none.
    var names: (before: [String: String], now: [String: String]) = ([:], [:])
    let present = now.description.documents.first?.rows ?? []
    let free = ColumnNames(
      tables: present.filter { rows in
        former(ofTable: rows.sourceTable).map { dropped.isTaken(rows.table, for: $0.table) } ?? true
      }.map(\.sourceTable),
      besides: old.tables.map(\.name) + dropped.tables.keys.sorted())
    document.rows = []
    document.leftOut = now.description.documents.first?.leftOut ?? []
    document.ignored = document.ignored.map { name in
      let new = choices.newName(ofIgnored: name, of: self.document)
      if new != name { met.insert(name) }
      return new
    }
    document.ignored += leavingOut.filter { !document.ignored.contains($0) }
    for rows in present {
      guard let table = now.description.table(rows.table) else { continue }
      let source = rows.sourceTable
      let merged: (table: DescribedTable, rows: DescribedDocument.Rows)
      if let former = former(ofTable: source), let oldTable = old.table(former.table) {
        let isTaken = dropped.isTaken(table.name, for: oldTable.name)
        let name = isTaken ? free[source] : table.name
        merged = self.merged(table, rows, oldTable, former, renamed: name)
        names.before[oldTable.name] = merged.table.name
      } else {
        new.append(source)
        newTables.append((source, Set(table.columns.map { rows.sourceColumn($0.name) })))
        merged = Self.added(table, rows, as: free[source])
      }
      names.now[rows.table] = merged.table.name
      tables.append(merged.table)
      document.rows.append(merged.rows)
    }
    // Tables of other documents stay.
    for table in old.tables where names.before[table.name] == nil {
      guard let rows = self.document.rows.first(where: { $0.table == table.name }) else {
        tables.append(table)
        names.before[table.name] = table.name
        continue
      }
      if drops(rows.sourceTable) {
        dropping.insert(table.name)
      } else {
        gone.append(
          .table(
            rows.sourceTable,
            columns: Set(table.columns.filter(\.isKept).map { rows.sourceColumn($0.name) })))
      }
    }
    result.tables = tables.map { table in
      var table = table
      let former = old.table(table.was ?? table.name)
      table.columns = table.columns.map { column in
        var column = column
        let isOld = former?.column(column.was ?? column.name) != nil
        column.reference = column.reference.flatMap { reference in
          guard let name = (isOld ? names.before : names.now)[reference.table] else { return nil }
          // A key whose type changed is referred to by columns of its type alone.
          let target = tables.first { $0.name == name }
          let types = target?.keyColumns.compactMap { target?.column($0)?.type } ?? []
          guard types.isEmpty || types == [column.type] else { return nil }
          return DescribedColumn.Reference(name, gone: reference.gone)
        }
        return column
      }
      return table
    }
    result.documents = old.documents.map { $0.name == document.name ? document : $0 }
  }

  /// The rows of a table as the document has them that the description knows.
  private func former(ofTable source: String) -> DescribedDocument.Rows? {
    document.rows.first { choices.newName(ofTable: $0.sourceTable) == source }
  }

  /// Whether the caller drops a name that is gone, or is left out from now on.
  private mutating func drops(_ name: String) -> Bool {
    guard choices.dropped.contains(name) else { return false }
    met.insert(name)
    return true
  }

  private static func added(
    _ table: DescribedTable, _ rows: DescribedDocument.Rows, as name: String
  ) -> (DescribedTable, DescribedDocument.Rows) {
    var (table, rows) = (table, rows)
    let source = rows.sourceTable
    (table.name, rows.table) = (name, name)
    rows.at = name == source ? nil : source
    return (table, rows)
  }

  /// - Parameter name: that of the table if it has another one in the database now.
  private mutating func merged(
    _ table: DescribedTable, _ rows: DescribedDocument.Rows, _ old: DescribedTable,
    _ former: DescribedDocument.Rows, renamed name: String
  ) -> (DescribedTable, DescribedDocument.Rows) {
    let formerSource = former.sourceTable
    var merged = old
    if formerSource != rows.sourceTable {
      met.insert(formerSource)
      (merged.name, merged.was) = (name, old.name)
    }
    merged.columns = []
    var sources: [DescribedDocument.Source] = []
    var renamed: [String: String] = [:]
    var rest = old.columns
    // A column that has another name in the catalog as well as a new one does not get a name of the others.
    func formerPlace(_ source: String) -> Int? {
      rest.firstIndex {
        choices.newName(ofColumn: former.sourceColumn($0.name), in: formerSource) == source
      }
    }
    let names = ColumnNames(
      table.columns.map { rows.sourceColumn($0.name) }.filter { source in
        formerPlace(source).map { former.sourceColumn(rest[$0].name) != source } ?? true
      }, besides: old.columns.map(\.name) + (dropped.columns[old.name] ?? [:]).keys.sorted())
    for column in table.columns {
      let source = rows.sourceColumn(column.name)
      var next: DescribedColumn
      if let place = formerPlace(source) {
        let oldColumn = rest.remove(at: place)
        next = oldColumn
        let formerColumn = former.sourceColumn(oldColumn.name)
        if formerColumn != source {
          met.insert("\(formerSource).\(formerColumn)")
          // Its own former name is free for it.
          let isOwn = dropped.columns[old.name]?[column.name] == .some(oldColumn.name)
          let isFree = isOwn && old.column(column.name) == nil
          (next.name, next.was) = (isFree ? column.name : names[source], oldColumn.name)
          renamed[oldColumn.name] = next.name
        }
        let fact = now.facts["\(rows.sourceTable).\(source)"]
        if !old.keyColumns.contains(oldColumn.name) {
          widen(&next, to: column, fact)
        } else if next.type == .integer, column.type == .text, fact?.hasValues == true {
          // A number and its text are one key if all keys are texts now.
          next.type = .text
        }
      } else {
        new.append("\(rows.sourceTable).\(source)")
        newColumns[rows.sourceTable, default: []].append(source)
        next = column
        next.name = names[source]
        // The rows that exist have no value there.
        (next.isUnique, next.isOptional) = (false, true)
      }
      merged.columns.append(next)
      if next.name != source { sources.append(DescribedDocument.Source(next.name, from: source)) }
    }
    for column in rest {
      let place = "\(formerSource).\(former.sourceColumn(column.name))"
      if !column.isKept {
        merged.columns.append(column)
      } else if drops(place) {
        dropping.insert("\(merged.name).\(column.name)")
      } else {
        let key = old.keyColumns.map {
          choices.newName(ofColumn: former.sourceColumn($0), in: formerSource)
        }
        gone.append(
          .column(
            place,
            RenameSearch.Column(
              table: old.name, name: column.name, source: rows.sourceTable, key: key)))
      }
    }
    let isDropped = { [dropping] (name: String) in dropping.contains("\(merged.name).\(name)") }
    if case .columns(let key) = old.key {
      keys += key.filter(isDropped).map { "\(formerSource).\(former.sourceColumn($0))" }
      merged.key = .columns(key.map { renamed[$0] ?? $0 })
    }
    merged.indexes = old.indexes.filter { !$0.contains(where: isDropped) }
      .map { $0.map { renamed[$0] ?? $0 } }
    // Words are searched in texts alone: a column that has numbers, too, leaves the search.
    merged.search = old.search.map { renamed[$0] ?? $0 }
      .filter { merged.column($0)?.type == .text }
    let source = rows.sourceTable
    return (
      merged,
      DescribedDocument.Rows(
        merged.name, at: merged.name == source ? nil : source, columns: sources)
    )
  }

  /// Gives a column the type that has all values, before and now.
  private func widen(
    _ column: inout DescribedColumn, to now: DescribedColumn, _ fact: Adoption.Fact?
  ) {
    guard let fact else { return }
    column.isOptional = column.isOptional || fact.hasNulls
    if !fact.isUnique { column.isUnique = false }
    // A person may have described what texts and numbers mean: then the reader judges the values.
    let isAdopted = [.integer, .number, .text, .blob].contains(column.type)
    guard fact.hasValues, isAdopted, now.type != column.type,
      !(column.type == .number && now.type == .integer)
    else { return }
    column.type = .any
    (column.isUnique, column.reference) = (false, nil)
  }

  /// The refusal of what is gone; nil if nothing is.
  ///
  /// - Parameter search: finds what has another name now.
  func error(
    _ file: String, _ words: DocumentWords, _ search: RenameSearch?
  ) throws -> DocumentError? {
    let names = new.prefix(5).map { JSONExcerpt.printable($0) } + (new.count > 5 ? ["…"] : [])
    let others = new.isEmpty ? "" : "; new names: \(names.joined(separator: ", "))"
    let dropped = keys.map { name in
      DocumentError(
        code: .conflict, file: file, path: JSONExcerpt.printable(name),
        message: "the column is in the key of its table, and a key stays",
        advice: "adopt the database into a new catalog")
    }
    // Faults that are not listed need no names.
    let likely = try gone.prefix(DocumentError.listLimit).map { try likelyNames(of: $0, search) }
    let certain = zip(gone, likely).filter { $1.isCertain }.map { ($0.owner, $1.names[0]) }
    return DocumentError(
      joining: dropped
        + gone.enumerated().map { place, gone in
          var (names, isCertain): ([String], Bool) = ([], false)
          if place < likely.count { (names, isCertain) = likely[place] }
          // What has the contents of one thing is not offered for another.
          if !isCertain {
            names.removeAll { name in certain.contains { $0 == (gone.owner, name) } }
          }
          let hint = isCertain ? "; \(names[0]) has its \(gone.contents)" : ""
          return DocumentError(
            code: .conflict, file: file, path: JSONExcerpt.printable(gone.name),
            message: "the database has no such \(gone.noun) any more\(others)"
              + JSONExcerpt.printable(hint),
            advice: words.gone(gone.name, names, isCertain))
        })
  }

  /// The names that something may have now, as a caller names them: the one that has its values or columns, or all that are new.
  private func likelyNames(
    of gone: Gone, _ search: RenameSearch?
  ) throws -> (names: [String], isCertain: Bool) {
    switch gone {
    case .table(_, let columns):
      let alike = newTables.filter { $0.columns == columns }
      return alike.count == 1 ? ([alike[0].name], true) : (newTables.map(\.name), false)
    case .column(_, let column):
      let names = newColumns[column.source] ?? []
      let found = try search?.column(column, among: names)
      return found.map { ([$0], true) } ?? (names, false)
    }
  }
}
