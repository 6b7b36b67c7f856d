import CatalogModel
import LibC
import Support

/// What a row must be like, for both row stores.
extension TableDescription {
  /// - Throws: `ProjectionError` with `invalidRow` if the table cannot have the row.
  package func require(_ row: [Value]) throws {
    guard row.count == columns.count, row.indices.allSatisfy({ fits(row[$0], $0) }) else {
      throw misfit(row)
    }
  }

  /// - Throws: `ProjectionError` with `invalidRow` if no row can have the key.
  package func require(key values: [Value]) throws {
    guard values.count == key.count, zip(values, key).allSatisfy({ fits($0, $1) })
    else { throw misfit(key: values) }
  }

  /// - Throws: `ProjectionError` with `invalidRow` if no row can have these values in the columns of an index.
  package func require(_ values: [Value], by index: Int) throws {
    let indexed = indexes[index].columns
    guard values.count == indexed.count, zip(values, indexed).allSatisfy({ fits($0, $1) })
    else { throw misfit(values, by: index) }
  }

  /// Whether a column can hold a value. Not by a copy of the column's description, whose references would be counted for
  /// each cell.
  private func fits(_ value: Value, _ column: Int) -> Bool {
    switch (value, columns[column].type) {
    case (.null, _): columns[column].isNullable
    case (.real(let real), .real), (.real(let real), .any): real.isFinite
    case (.text(let text), .text), (.text(let text), .any): !text.holdsNull
    case (.integer, .integer), (.id, .id), (.time, .time), (.blob, .blob), (.integer, .any),
      (.blob, .any):
      true
    default: false
    }
  }

  /// Why the table cannot have a row.
  package func misfit(_ row: [Value]) -> ProjectionError {
    misfit(row, in: Array(columns.indices), "a row")
  }

  package func misfit(key values: [Value]) -> ProjectionError {
    misfit(values, in: key, "a key")
  }

  package func misfit(_ values: [Value], by index: Int) -> ProjectionError {
    misfit(values, in: indexes[index].columns, "a search")
  }

  private func misfit(_ values: [Value], in places: [Int], _ what: String) -> ProjectionError {
    guard values.count == places.count else {
      let names = places.map { columns[$0].name }.joined(separator: ", ")
      return ProjectionError(
        .invalidRow,
        "\(what) of \(name) has \(values.count) \(values.count == 1 ? "value" : "values") instead of "
          + "\(places.count): \(names)")
    }
    for (value, place) in zip(values, places) where !fits(value, place) {
      return ProjectionError(
        .invalidRow, "\(name).\(columns[place].name) \(value.misfit(columns[place]))")
    }
    return ProjectionError(.invalidRow, "\(what) of \(name) does not fit the table")
  }

  /// A row for which an expression of the description is false.
  package func failure(of check: String, for row: [Value]) -> ProjectionError {
    let key = key.map { "\(columns[$0].name)=\(row[$0].shown)" }.joined(separator: ", ")
    return ProjectionError(.invalidRow, "\(name)[\(key)] does not pass CHECK(\(check))")
  }

  /// Two rows have the same in columns that are unique.
  package func duplicate(of row: [Value], in unique: [Int]) -> ProjectionError {
    let names = unique.map { columns[$0].name }.joined(separator: ", ")
    let values = unique.map { row[$0].shown }.joined(separator: ", ")
    return ProjectionError(
      .duplicate, "another row of \(name) has the same \(names), which is unique: \(values)")
  }
}

extension Value {
  /// What is wrong with the value in a column that cannot hold it.
  fileprivate func misfit(_ column: ColumnDescription) -> String {
    switch (self, column.type) {
    case (.null, _): "is NULL, but must not be"
    case (.real(let real), .real), (.real(let real), .any):
      "is \(real), should be a finite number"
    case (.text, .text), (.text, .any): "is a text with U+0000, which no text here may hold"
    default: "is \(kind), should be \(column.type.kind)\(column.isNullable ? " or NULL" : "")"
    }
  }

  private var kind: String {
    switch self {
    case .null: "NULL"
    case .integer: ColumnType.integer.kind
    case .real: ColumnType.real.kind
    case .text: ColumnType.text.kind
    case .id: ColumnType.id.kind
    case .time: ColumnType.time.kind
    case .blob: ColumnType.blob.kind
    }
  }

  /// For a person, and never long.
  fileprivate var shown: String {
    switch self {
    case .null: "NULL"
    case .integer(let integer): String(integer)
    // There is one zero.
    case .real(let real): String(real + 0)
    case .text(let text): "\"\(JSONExcerpt.printable(text.utf8))\""
    case .id(let id): id.description
    case .time(let time): time.description
    case .blob(let bytes): "\(bytes.count) bytes"
    }
  }
}

extension ColumnType {
  fileprivate var kind: String {
    switch self {
    case .integer: "an integer"
    case .real: "a real number"
    case .text: "a text"
    case .id: "an id"
    case .time: "a time"
    case .blob: "a blob"
    case .any: "a number, a text or a blob"
    }
  }
}

extension String {
  /// Whether the text holds U+0000.
  fileprivate var holdsNull: Bool {
    var text = self
    return text.withUTF8 { utf8 in
      utf8.baseAddress.map { memchr($0, 0, utf8.count) != nil } ?? false
    }
  }
}
