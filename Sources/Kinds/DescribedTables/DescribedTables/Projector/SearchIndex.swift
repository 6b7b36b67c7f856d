package import CatalogModel
import CatalogStore
package import Projections
import Support

/// The words in which the rows of a described table are found, and the full-text index of them.
///
/// SQLite's index knows a row by a whole number, which must be the same in each replay, and keys are of any type: a row has
/// the number that its key hashes to, in a table of the program's own beside it.
package final class SearchIndex: Sendable {
  /// `projection_products_words`: the number, the key, and the folded words of the columns that are searched.
  package let words: TableDescription
  /// `projection_products_search`
  package let name: String
  private let table: TableDescription
  /// The places of the columns that are searched.
  private let places: [Int]

  /// How many numbers a key can have. Two of a million keys have the same first one in one catalog of a hundred thousand, and
  /// nine never have.
  private static let numbers: Int64 = 8

  init(_ table: TableDescription, columns: [String]) {
    self.table = table
    places = columns.compactMap { table.index(of: $0) }
    name = "projection_\(table.name)_search"
    let key = table.key.enumerated().map { place, column in
      Column(Self.keyColumn(place), table.columns[column].type)
    }
    words = TableDescription(
      "projection_\(table.name)_words",
      columns: [Column("number", .integer)] + key + [Column("words", .text)], key: ["number"])
  }

  private static func keyColumn(_ place: Int) -> String { "key_\(place + 1)" }

  /// Adds the table and its index to a schema.
  func add(to schema: inout Schema) {
    schema.add(words)
    schema.addFullTextIndex(name, over: words, columns: ["words"])
  }

  /// Writes the words of rows that have changed.
  func write(_ changes: [RowChange], to rows: some RowStore) throws {
    for change in changes {
      let (before, after) = (change.before.flatMap(text), change.after.flatMap(text))
      if before == after { continue }
      guard let number = try number(of: change.key, isKnown: before != nil, rows) else {
        throw ProjectionError(
          contradiction: "no number is free for the words of a row of \(table.name)")
      }
      if let after {
        try rows.put([.integer(number)] + change.key + [.text(after)], in: words)
      } else {
        try rows.remove(key: [.integer(number)], from: words)
      }
    }
  }

  /// The words of a row; nil if it has none.
  private func text(of row: [Value]) -> String? {
    let texts = places.compactMap { place -> String? in
      guard case .text(let text) = row[place] else { return nil }
      let words = SearchText(text).all
      return words.isEmpty ? nil : words
    }
    return texts.isEmpty ? nil : texts.joined(separator: " ")
  }

  /// The number of a row, or one that is free for it.
  private func number(
    of key: [Value], isKnown: Bool, _ rows: some RowStore
  ) throws -> Int64? {
    let first = Self.hash(of: key)
    for step in 0..<Self.numbers {
      let number = first &+ step
      let row = try rows.row(in: words, key: [.integer(number)])
      let isOwn = row.map { Array($0[1...key.count]) == key } ?? false
      if isKnown ? isOwn : row == nil { return number }
    }
    return nil
  }

  private static func hash(of key: [Value]) -> Int64 {
    WholeRowKey.digest(of: key).prefix(7).reduce(0) { $0 << 8 | Int64($1) }
  }

  /// The condition in SQL for the rows that have all words of a query, the last of them as the beginning of a word.
  ///
  /// - Returns: nil if the query has no words.
  package func condition(_ query: SearchQuery) -> String? {
    guard !query.terms.isEmpty else { return nil }
    let match = query.terms.map { "(\($0.match))" }.joined(separator: " AND ")
    let key = SQLName.list(table.key.map { table.columns[$0].name })
    let found = SQLName.list(table.key.indices.map(Self.keyColumn))
    return "(\(key)) IN (SELECT \(found) FROM \(words.sqlName) WHERE number IN "
      + "(SELECT rowid FROM \(name) WHERE \(name) MATCH \(StoredValue(.text(match)).description)))"
  }
}
