import CatalogStore
import GRDB
import Projections

/// Columns of a table that refer to rows of another one, by whatever the schema or the kind says.
struct RowReference {
  let child: TableDescription
  let childPlaces: [Int]
  let parent: TableDescription
  let parentPlaces: [Int]
  /// The values with which the child's must begin.
  var prefix: [Value] = []
}

extension Schema {
  /// All of them: foreign keys, columns that name a row, and what the kind adds.
  func rowReferences(_ rules: ReversalRules) -> [RowReference] {
    var found = references.map {
      RowReference(
        child: $0.child, childPlaces: $0.columns, parent: $0.parent,
        parentPlaces: $0.parentColumns)
    }
    for table in tables {
      for (place, column) in table.columns.enumerated() {
        guard let name = column.names, let parent = tables.first(where: { $0.name == name }) else {
          continue
        }
        found.append(
          RowReference(
            child: table, childPlaces: [place], parent: parent, parentPlaces: parent.key))
      }
    }
    for (from, to) in rules.references {
      found.append(
        RowReference(
          child: from.table, childPlaces: from.places, parent: to.table, parentPlaces: to.places,
          prefix: to.prefix))
    }
    return found
  }
}

/// Looks in a trial for rows that refer to no row.
struct ReferenceTrial {
  private let references: [RowReference]
  private let rules: ReversalRules
  private let history: HistoryDatabase
  private let database: Database

  init(_ rules: ReversalRules, _ history: HistoryDatabase, _ database: Database) {
    references = history.schema.schema.rowReferences(rules)
    (self.rules, self.history, self.database) = (rules, history, database)
  }

  /// - Parameters:
  ///   - changes: what the trial did.
  ///   - planned: the row of the plan at an address; nil if it is none.
  /// - Returns: the rows of the plan that have to stay, and why.
  func rowsToLeave(
    _ changes: [RowChange], _ planned: (RowAddress) -> RevertedRowState?
  ) throws -> [RowAddress: RevertConflict.Reason] {
    var found: [RowAddress: RevertConflict.Reason] = [:]
    for reference in references { try addNeeded(reference, changes, planned, &found) }
    // A row that refers to one of these is looked at again, once they stay.
    guard found.isEmpty else { return found }
    for reference in references { try addMissing(reference, changes, planned, &found) }
    for (table, rows) in rules.mentions {
      try addUnmentioned(table, rows, changes, planned, &found)
    }
    for (left, right) in rules.exclusions {
      try addExcluded(left, by: right, changes, planned, &found)
      try addExcluded(right, by: left, changes, planned, &found)
    }
    return found
  }

  /// Rows that have values which a row of another table has, too. If the plan did not write one of them, the other one stays.
  private func addExcluded(
    _ columns: ReversalRules.Columns, by others: ReversalRules.Columns, _ changes: [RowChange],
    _ planned: (RowAddress) -> RevertedRowState?,
    _ found: inout [RowAddress: RevertConflict.Reason]
  ) throws {
    let table = columns.table
    for change in changes where change.table === table {
      let address = RowAddress(table: table.ordinal, key: change.key)
      guard let after = change.after, planned(address)?.before != nil,
        case let values = columns.values(of: after), values.starts(with: others.prefix),
        try exists(others.table, others.places, values.dropFirst(others.prefix.count))
      else { continue }
      found[address] = .taken(columns.places.map { table.columns[$0].name })
    }
  }

  /// Rows that are removed while another row refers to them.
  private func addNeeded(
    _ reference: RowReference, _ changes: [RowChange],
    _ planned: (RowAddress) -> RevertedRowState?,
    _ found: inout [RowAddress: RevertConflict.Reason]
  ) throws {
    var removed: [[Value]: RowAddress] = [:]
    for change in changes where change.table === reference.parent && change.after == nil {
      let address = RowAddress(table: change.table.ordinal, key: change.key)
      guard let before = change.before, planned(address) != nil else { continue }
      removed[reference.prefix + reference.parentPlaces.map { before[$0] }] = address
    }
    if reference.parentPlaces != reference.parent.key {
      removed = try removed.filter { values, _ in
        try !exists(
          reference.parent, reference.parentPlaces, values.dropFirst(reference.prefix.count))
      }
    }
    guard !removed.isEmpty else { return }
    let child = reference.child
    let name = name(of: child)
    func row(_ statement: PreparedStatement) throws -> [Value] {
      try child.columns.indices.map { try statement.value($0, in: child) }
    }
    func need(_ parent: RowAddress, by row: [Value]) {
      found[parent] = .neededBy(RowAddress(table: child.ordinal, key: child.key(of: row)))
    }
    // Rows that the kind removed with the row that they need.
    if !rules.derived.contains(where: { $0 === child }) {
      for change in changes where change.table === child && change.after == nil {
        let own = planned(RowAddress(table: child.ordinal, key: change.key))
        guard own == nil || own?.before != nil,
          let row = change.before, let parent = removed[reference.childPlaces.map { row[$0] }]
        else { continue }
        need(parent, by: row)
      }
    }
    let select = "SELECT \(child.columnList) FROM main.\(name) WHERE +_to = 0"
    if child.isSearched(by: reference.childPlaces) {
      let conditions = reference.childPlaces.map { "AND \(child.columns[$0].name) = ?" }
      let statement = try PreparedStatement(
        database, "\(select) \(conditions.joined(separator: " ")) LIMIT 1")
      for (values, parent) in removed {
        for (place, value) in values.enumerated() { try statement.bind(value, at: place + 1) }
        if try statement.step() { need(parent, by: try row(statement)) }
        statement.reset()
      }
      return
    }
    let statement = try PreparedStatement(database, select)
    while try statement.step() {
      let row = try row(statement)
      if let parent = removed[reference.childPlaces.map { row[$0] }] { need(parent, by: row) }
    }
  }

  /// Rows that are put back with a text that names a row which is not there.
  private func addUnmentioned(
    _ table: TableDescription, _ rows: ReversalRules.Mentioned, _ changes: [RowChange],
    _ planned: (RowAddress) -> RevertedRowState?,
    _ found: inout [RowAddress: RevertConflict.Reason]
  ) throws {
    var statements: [Int: PreparedStatement] = [:]
    for change in changes where change.table === table {
      let address = RowAddress(table: table.ordinal, key: change.key)
      guard let after = change.after, planned(address) != nil else { continue }
      for (parent, key) in rows(after) {
        let statement =
          try statements[parent.ordinal]
          ?? PreparedStatement(
            database,
            "SELECT 1 FROM main.\(name(of: parent)) WHERE \(parent.keyCondition) AND +_to = 0")
        statements[parent.ordinal] = statement
        for (place, value) in key.enumerated() { try statement.bind(value, at: place + 1) }
        if try !statement.step() { found[address] = .missing(parent, key) }
        statement.reset()
      }
    }
  }

  private func exists(
    _ table: TableDescription, _ places: [Int], _ values: ArraySlice<Value>
  ) throws -> Bool {
    let condition = places.map { "\(table.columns[$0].name) = ?" }.joined(separator: " AND ")
    let statement = try PreparedStatement(
      database, "SELECT 1 FROM main.\(name(of: table)) WHERE \(condition) AND +_to = 0 LIMIT 1")
    for (place, value) in values.enumerated() { try statement.bind(value, at: place + 1) }
    return try statement.step()
  }

  private func name(of table: TableDescription) -> String {
    history.generations.at(history.checkpoint.sequence, of: table).name(table)
  }

  /// Rows that are put back and refer to a row that is not there.
  private func addMissing(
    _ reference: RowReference, _ changes: [RowChange],
    _ planned: (RowAddress) -> RevertedRowState?,
    _ found: inout [RowAddress: RevertConflict.Reason]
  ) throws {
    let parent = reference.parent
    let name = name(of: parent)
    let condition = reference.parentPlaces.map { "\(parent.columns[$0].name) = ?" }
      .joined(separator: " AND ")
    let statement = try PreparedStatement(
      database, "SELECT 1 FROM main.\(name) WHERE \(condition) AND +_to = 0 LIMIT 1")
    for change in changes where change.table === reference.child {
      let address = RowAddress(table: change.table.ordinal, key: change.key)
      guard let after = change.after, planned(address) != nil else { continue }
      let values = reference.childPlaces.map { after[$0] }
      guard !values.contains(.null), values.starts(with: reference.prefix) else { continue }
      let wanted = Array(values.dropFirst(reference.prefix.count))
      for (place, value) in wanted.enumerated() { try statement.bind(value, at: place + 1) }
      if try !statement.step() { found[address] = .missing(parent, wanted) }
      statement.reset()
    }
  }
}

extension TableDescription {
  /// Whether the versions of the table are searched by these columns without reading all of them.
  fileprivate func isSearched(by places: [Int]) -> Bool {
    let searched = indexes.filter { $0.name != nil }.map(\.columns) + uniques + [key]
    return searched.contains { $0.starts(with: places) }
  }
}
