package import CatalogEngine
import CatalogModel
package import CatalogStore
package import Projections

/// A row of which two states differ. It is made once, and text, JSON and pages show it.
package struct RowReport {
  package enum Change: String, Sendable {
    case added
    case removed
    case changed
  }

  package let table: TableDescription
  /// The row of the older state, in column order; nil if that lacks it.
  package let before: [StoredValue]?
  /// The row of the newer state.
  package let after: [StoredValue]?
  /// The places of the columns that differ: all of them if one state lacks the row.
  package let columns: [Int]
  private let names: RowNames?

  /// - Parameter names: nil if no names are known.
  package init(
    _ table: TableDescription, from before: [StoredValue]?, to after: [StoredValue]?,
    _ names: RowNames?
  ) {
    (self.table, self.before, self.after, self.names) = (table, before, after, names)
    columns = table.columns.indices.filter {
      before == nil || after == nil || before?[$0] != after?[$0]
    }
  }

  package init(_ change: RowChange, _ names: RowNames?) {
    self.init(
      change.table, from: change.before?.map { StoredValue($0) },
      to: change.after?.map { StoredValue($0) }, names)
  }

  package var change: Change { before == nil ? .added : after == nil ? .removed : .changed }

  /// The columns that differ, without those that say when a row was written.
  package var seenColumns: [Int] { columns.filter { !table.columns[$0].isChangeStamp } }

  /// The newer row; the older one if that was removed.
  package var values: [StoredValue] { after ?? before ?? [] }

  /// The name by which a person knows the row; nil if it has none.
  package var name: String? {
    get throws { try table.values(from: values).flatMap { try names?.name(of: table, $0) } }
  }

  /// The names of the rows to which columns refer, by the columns' places.
  package var references: [Int: String] {
    get throws {
      try table.values(from: values).flatMap { try names?.references(of: table, $0) } ?? [:]
    }
  }

  /// `'old' → 'new'`, of a column of a row that both states have.
  package func change(of place: Int, _ excerpts: inout ValueExcerpts) -> String {
    excerpts.change(from: before?[place] ?? .null, to: after?[place] ?? .null)
  }
}

// MARK: Text

extension RowReport {
  /// `+ book id='7' title='Notes'` for a row that was added, `-` for one that was removed, and
  /// `~ book id='7' (Notes) title: 'Note' → 'Notes', pages: 7 → 9`.
  func line(_ excerpts: inout ValueExcerpts, withStamps: Bool) throws -> String {
    try lines(of: [withStamps ? columns : seenColumns], "\(table.name) ", &excerpts)[0]
  }

  /// A line for each column that changed, without the table's name; one for a row that was added or removed.
  func lines(_ excerpts: inout ValueExcerpts, withStamps: Bool) throws -> [String] {
    try lines(of: (withStamps ? columns : seenColumns).map { [$0] }, "", &excerpts)
  }

  /// The column of each of these lines; nil if the line is about the whole row.
  func lineColumns(withStamps: Bool) -> [Int?] {
    change == .changed ? withStamps ? columns : seenColumns : [nil]
  }

  /// - Parameter groups: the columns of each line.
  private func lines(
    of groups: [[Int]], _ place: String, _ excerpts: inout ValueExcerpts
  ) throws -> [String] {
    var names = try references
    guard change == .changed else {
      let sign = change == .added ? "+" : "-"
      let cells = excerpts.cells(groups.flatMap { $0 }, of: values, in: table, names)
      return ["\(sign) \(place)\(cells)"]
    }
    // The columns that name the row are not shown.
    if let last = table.key.last, names[last] == nil, table.columns.contains(where: \.isName) {
      names[last] = try name
    }
    return groups.map { group in
      let key = excerpts.cells(table.key, of: values, in: table, names)
      let changes = group.map { "\(table.columns[$0].name): \(change(of: $0, &excerpts))" }
      return "~ \(place)\(key) \(changes.joined(separator: ", "))"
    }
  }
}

extension ValueExcerpts {
  /// `id='7' (Notes) pages=9`: some columns of a row, with the names of the rows to which they refer.
  mutating func cells(
    _ places: [Int], of row: [StoredValue], in table: TableDescription, _ names: [Int: String] = [:]
  ) -> String {
    places.map { place in
      "\(table.columns[place].name)=\(text(row[place]))\(names[place].map { " (\($0))" } ?? "")"
    }.joined(separator: " ")
  }
}

// MARK: JSON

/// The form that values of rows have in JSON.
enum JSONValues: String, CaseIterable {
  /// SQL literals: `'7'`, `7`, `7.0` and `x'37'` differ.
  case sql
  /// As `query` prints them: numbers, texts and null as they are.
  case plain
}

extension RowReport {
  var json: JSONObject { get throws { try json(.sql) } }

  /// The row with its key and name, and the columns that changed as they were and became.
  func json(_ form: JSONValues) throws -> JSONObject {
    try identity(form) + [
      // The columns that changed, all of them if the row came or went.
      "before": before.map { table.object(columns, $0, form) },
      "after": after.map { table.object(columns, $0, form) },
    ]
  }

  /// An object for each column that changed; one for a row that was added or removed.
  ///
  /// - Parameter event: finds the event of a column, or that of the row if the place is nil.
  func jsonByColumn(_ event: (_ place: Int?) -> EventEnvelope?) throws -> [JSONObject] {
    let row = try identity(.sql)
    guard change == .changed, let before, let after else {
      return [row + ["row": table.named(columns, values), "event": event(nil)?.json]]
    }
    return columns.map { place in
      row + [
        "column": table.columns[place].name, "before": before[place].description,
        "after": after[place].description, "event": event(place)?.json,
      ]
    }
  }

  private func identity(_ form: JSONValues) throws -> JSONObject {
    [
      "key": table.object(table.key, values, form),
      // The row's name.
      "name": try name, "change": change.rawValue,
    ]
  }
}

extension TableDescription {
  /// Some columns of a row in a form, by their names.
  fileprivate func object(
    _ places: [Int], _ row: [StoredValue], _ form: JSONValues
  ) -> JSONObject {
    JSONObject(
      places.map { place in
        let value = row[place]
        return (
          columns[place].name, form == .sql ? value.description : AnswerCell.value(value)
        )
      })
  }

  /// Some columns of a row as JSON has them, by their names.
  func named(_ places: [Int], _ row: [StoredValue]) -> [String: String] {
    named(places, places.map { row[$0].description })
  }

  /// The values of a row's key as JSON has them, by the names of the columns.
  func named(key values: [Value]) -> [String: String] { named(key, values.map(\.literal)) }

  private func named(_ places: [Int], _ values: [String]) -> [String: String] {
    Dictionary(zip(places, values).map { (columns[$0].name, $1) }, uniquingKeysWith: { $1 })
  }

  /// `shelf=7 place=3`: the values of a row's key, in key order.
  func keyWords(_ values: [Value]) -> String {
    zip(key, values).map { "\(columns[$0].name)=\($1.literal)" }.joined(separator: " ")
  }
}
