public import CatalogModel
import Foundation
import Support

/// The event `rows.restored`: rows of one table that are again what they were.
///
/// It names tables and columns, so that a later version of a kind can still read it: a column that its table lost is passed
/// over, and one that the event lacks keeps the value of the row that is there, or is NULL.
public struct RestoredRows: Hashable, Sendable {
  public var table: String
  /// The names of the columns of `rows`.
  public var columns: [String]
  /// Rows that are put back. An id, a time is a text, as in SQL.
  public var rows: [[Value]]
  /// The names of the columns of `gone`: those of the key, in its order.
  public var key: [String]
  /// Keys of rows that are removed.
  public var gone: [[Value]]
  /// The places in `columns` of those of the type `any`, whose texts an event marks as such. Not a part of the event.
  private var mixed: Set<Int> = []

  public init(
    table: String, columns: [String], rows: [[Value]], key: [String], gone: [[Value]]
  ) {
    self.table = table
    self.columns = columns
    self.rows = rows
    self.key = key
    self.gone = gone
  }

  /// An event that puts rows of a table back and removes others.
  package init(_ table: TableDescription, rows: [[Value]], gone: [[Value]]) {
    self.init(
      table: table.name, columns: rows.isEmpty ? [] : table.columns.map(\.name), rows: rows,
      key: gone.isEmpty ? [] : table.key.map { table.columns[$0].name }, gone: gone)
    self = written(in: table)
  }

  /// The rows as an event of the table is written: the texts of columns of the type `any` can be told from bytes.
  package func written(in table: TableDescription) -> RestoredRows {
    var rows = self
    rows.mixed = Set(
      columns.indices.filter { place in
        table.columns.contains { $0.name == columns[place] && $0.type == .any }
      })
    return rows
  }

  public static func == (left: RestoredRows, right: RestoredRows) -> Bool {
    left.table == right.table && left.columns == right.columns && left.rows == right.rows
      && left.key == right.key && left.gone == right.gone
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(table)
    hasher.combine(rows)
    hasher.combine(gone)
  }
}

extension RestoredRows: PayloadObject {
  public static let payload = Payload(
    Member("table", \Self.table), Member("columns", \.columns),
    Member("rows", { ValueRows($0.rows, mixed: $0.mixed) }), Member("key", \.key),
    Member("gone", { ValueRows($0.gone) }),
    make: {
      RestoredRows(table: $0, columns: $1, rows: $2.rows, key: $3, gone: $4.rows)
    })
}

/// A row that was restored.
public typealias RestoredRow = RowChange

extension RestoredRows {
  /// Changes the rows as the event says, or not at all.
  ///
  /// - Returns: the rows that it names, as they were and as they are.
  /// - Throws: `ProjectionError` with `contradiction` for a table that the schema lacks, a row that the table cannot have,
  ///   and a value that another row has in a column that is unique.
  @discardableResult
  public func restore(in schema: Schema, to store: some RowStore) throws -> [RestoredRow] {
    guard let description = schema.tables.first(where: { $0.name == table }) else {
      throw ProjectionError(contradiction: "there is no table \(table.debugDescription)")
    }
    return try restore(as: RowForm(description), to: store)
  }

  /// Changes rows of a table whose columns may have had other names when the event was written.
  package func restore(as form: RowForm, to store: some RowStore) throws -> [RestoredRow] {
    let wanted = try wantedRows(form, store)
    try RestoredRow.write(wanted, in: form.table, to: store)
    return wanted
  }

  /// The rows that the event names, each once.
  private func wantedRows(_ form: RowForm, _ store: some RowStore) throws -> [RestoredRow] {
    let description = form.table
    var wanted: [RestoredRow] = []
    wanted.reserveCapacity(rows.count + gone.count)
    var known: Set<[Value]> = []
    func add(_ key: [Value], _ after: ([Value]?) throws -> [Value]?) throws {
      guard known.insert(key).inserted else {
        throw ProjectionError(contradiction: "a row of \(table) is named twice")
      }
      let before = try store.row(in: description, key: key)
      wanted.append(
        RestoredRow(description, key: key, before: before, after: try after(before)))
    }
    do {
      let keyPlaces = try places(of: key, form)
      let nothing = description.columns.map { _ in Value.null }
      for values in gone {
        let key = description.key(of: try row(values, at: keyPlaces, form, otherwise: nothing))
        try description.require(key: key)
        try add(key) { _ in nil }
      }
      let places = try places(of: columns, form)
      let kept = description.columns.indices.filter { !places.contains($0) }
      let absent = description.columns.indices.map(form.absent)
      for values in rows {
        var whole = try row(values, at: places, form, otherwise: absent)
        let key = description.key(of: whole)
        try description.require(key: key)
        try add(key) { before in
          if let before {
            for place in kept { whole[place] = before[place] }
          }
          try description.require(whole)
          if let problem = form.problem(whole) {
            throw ProjectionError(contradiction: problem)
          }
          return whole
        }
      }
    } catch let error as ProjectionError where error.code == .invalidRow {
      throw ProjectionError(.contradiction, error.explanation)
    }
    return wanted
  }

  /// The places of columns by their names; nil if the table lost the column.
  private func places(of names: [String], _ form: RowForm) throws -> [Int?] {
    guard Set(names).count == names.count else {
      throw ProjectionError(contradiction: "a column of \(table) is named twice")
    }
    return names.map(form.place)
  }

  private func row(
    _ values: [Value], at places: [Int?], _ form: RowForm, otherwise: [Value]
  ) throws -> [Value] {
    guard values.count == places.count else {
      throw ProjectionError(
        contradiction: "a row of \(table) has \(values.count) values, and \(places.count) columns")
    }
    var row = otherwise
    for (value, place) in zip(values, places) {
      if let place { row[place] = form.value(value, place) }
    }
    return row
  }
}

extension RestoredRow {
  /// Writes changes of several rows of a table, or none of them.
  ///
  /// - Parameter changes: at most one of each row.
  /// - Throws: `ProjectionError` with `contradiction` for a value that another row has in a column that is unique.
  package static func write(
    _ changes: [RestoredRow], in table: TableDescription, to store: some RowStore
  ) throws {
    try requireUnique(changes, in: table, store)
    for row in changes where row.before != nil && (row.after == nil || !table.uniques.isEmpty) {
      try store.remove(key: row.key, from: table)
    }
    for row in changes {
      if let after = row.after { try store.put(after, in: table) }
    }
  }

  /// Makes sure that no two rows have the same values in columns that are unique once changes are made.
  ///
  /// - Throws: as `write`.
  package static func requireUnique(
    _ wanted: [RestoredRow], in description: TableDescription, _ store: some RowStore
  ) throws {
    guard !description.uniques.isEmpty else { return }
    let changed = Set(wanted.map(\.key))
    for unique in description.uniques {
      var taken: Set<[Value]> = []
      let index = description.indexes.firstIndex { $0.columns == unique && $0.condition == nil }
      for row in wanted.compactMap(\.after) {
        let values = unique.map { row[$0] }
        guard !values.contains(.null) else { continue }
        let others =
          try index.map {
            try store.rows(by: IndexReference(table: description, ordinal: $0), equal: values)
          } ?? store.rows(in: description).filter { other in unique.map { other[$0] } == values }
        guard taken.insert(values).inserted,
          others.allSatisfy({ changed.contains(description.key(of: $0)) })
        else {
          throw ProjectionError(
            .contradiction, description.duplicate(of: row, in: unique).explanation)
        }
      }
    }
  }
}

extension Value {
  /// A value of an event as a column holds it. One that does not fit stays as it is: the table refuses it.
  package func held(by type: ColumnType) -> Value {
    switch (self, type) {
    case (.text(let text), .id): EntityID(text).map(Value.id) ?? self
    case (.text(let text), .time): Timestamp(text).map(Value.time) ?? self
    case (.id(let id), .any): .text(id.description)
    case (.time(let time), .any): .text(time.description)
    case (.integer(let integer), .real): .real(Double(integer))
    case (.real(let real), .integer): Int64(exactly: real).map { .integer($0) } ?? self
    case (.blob(let bytes), .text):
      String(validating: bytes, as: UTF8.self).map { Value.text($0) } ?? self
    default: self
    }
  }
}
