/// A full-text index (FTS5) over a table, described as data.
///
/// The table holds the texts; the index holds where their words stand. Triggers keep it right, so that no row
/// store knows of it.
public final class FullTextIndexDescription: Sendable {
  public let name: String
  /// The name as SQL has it: in quotes if it is a word of SQL.
  package let sqlName: String
  /// The table whose rows it finds. Its key is one integer, the rowid of the index.
  package let table: TableDescription
  package let columns: [String]
  package let tokenizer: FullTextTokenizer
  package let content: FullTextContent
  /// Lengths in characters of beginnings of words that are listed too.
  package let prefixes: [Int]
  private let declarations: [String]

  init(
    name: String, table: TableDescription, columns: [FullTextColumn],
    tokenizer: FullTextTokenizer, content: FullTextContent, prefixes: [Int]
  ) {
    precondition(SQLName.isFree(name), "\"\(name)\" is not a name for an index")
    precondition(
      table.key.count == 1 && table.columns[table.key[0]].type == .integer
        && table.storage == .rowIDs, "a full-text index needs an integer key")
    precondition(
      prefixes == Set(prefixes).sorted() && prefixes.allSatisfy { (1...9).contains($0) },
      "prefixes are lengths from 1 to 9, ascending")
    for column in columns {
      guard let place = table.index(of: column.name), table.columns[place].type != .blob else {
        preconditionFailure("\(table.name) has no texts in \(column.name)")
      }
      // FTS5 has columns of its own with these names.
      precondition(
        !["rank", "rowid", name.lowercased()].contains(column.name.lowercased()),
        "\(column.name) is not a name for a column of the full-text index \(name)")
    }
    self.name = name
    sqlName = SQLName.quoted(name)
    self.table = table
    self.columns = columns.map(\.name)
    self.tokenizer = tokenizer
    self.content = content
    self.prefixes = prefixes
    declarations = columns.map {
      SQLName.quoted($0.name) + ($0.isIndexed ? "" : " UNINDEXED")
    }
  }

  /// The virtual table that lists every word with the row, the column and the place where it stands.
  package var terms: String { name + "_terms" }

  private var key: ColumnDescription { table.columns[table.key[0]] }

  /// All columns, separated by commas.
  package var columnList: String { SQLName.list(columns) }

  /// The statements that make the index and the list of its terms.
  package var creation: [String] {
    [
      "CREATE VIRTUAL TABLE \(sqlName) USING \(module)",
      "CREATE VIRTUAL TABLE \(terms) USING fts5vocab(\(sqlName), instance)",
    ]
  }

  /// The statements that make and fill a temporary index with the name of this one, over the rows that a temporary view with
  /// the table's name has, and the list of its terms.
  package var temporaryCreation: [String] { temporaryTables + [filling] }

  /// The statements that make a temporary index and the list of its terms, both empty.
  package var temporaryTables: [String] {
    [
      "CREATE VIRTUAL TABLE temp.\(sqlName) USING \(module)",
      "CREATE VIRTUAL TABLE temp.\(terms) USING fts5vocab(temp, \(sqlName), instance)",
    ]
  }

  private var module: String {
    let source =
      switch content {
      case .table: ", content='\(table.name)', content_rowid='\(key.name)'"
      case .own: ""
      }
    let lengths = prefixes.map(String.init).joined(separator: " ")
    return "fts5(\(declarations.joined(separator: ", "))\(source), "
      + "tokenize=\"\(tokenizer.sql)\"\(prefixes.isEmpty ? "" : ", prefix='\(lengths)'"))"
  }

  /// The statements that make and fill a temporary index of the same words, and the list of its terms.
  package func creation(ofTemporary copy: String) -> [String] {
    let list = columnList
    return [
      "CREATE VIRTUAL TABLE temp.\(copy) USING fts5(\(declarations.joined(separator: ", ")), content='', "
        + "tokenize=\"\(tokenizer.sql)\")",
      "CREATE VIRTUAL TABLE temp.\(copy)_terms USING fts5vocab(temp, \(copy), instance)",
      "INSERT INTO temp.\(copy)(rowid, \(list)) SELECT \(key.sqlName), \(list) FROM \(table.sqlName)",
    ]
  }

  /// The statement that fills the index from the table.
  package var filling: String {
    switch content {
    case .table: "INSERT INTO \(sqlName)(\(sqlName)) VALUES ('rebuild')"
    case .own:
      "INSERT INTO \(sqlName)(rowid, \(columnList)) "
        + "SELECT \(key.sqlName), \(columnList) FROM \(table.sqlName)"
    }
  }

  /// The statements that fill the index again after the table's rows have become others.
  package var refilling: [String] {
    switch content {
    case .table: [filling]
    case .own: ["DELETE FROM \(sqlName)", filling]
    }
  }

  /// The statement that adds a row's words: takes the key and the columns.
  package var addition: String { addition(of: marks) }

  /// The statement that takes a row's words away: takes the key and, where the index has no texts of its own, the
  /// columns as they were added.
  package var removal: String { removal(of: marks) }

  private var marks: [String] { Array(repeating: "?", count: columns.count + 1) }

  private func addition(of values: [String]) -> String {
    "INSERT INTO \(sqlName)(rowid, \(columnList)) "
      + "VALUES (\(values.joined(separator: ", ")))"
  }

  private func removal(of values: [String]) -> String {
    if content == .own { return "DELETE FROM \(sqlName) WHERE rowid = \(values[0])" }
    return "INSERT INTO \(sqlName)(\(sqlName), rowid, \(columnList)) "
      + "VALUES ('delete', \(values.joined(separator: ", ")))"
  }

  /// A statement that carries later changes of the table into the index.
  package struct Trigger: Sendable {
    package let name: String
    package let sql: String
  }

  /// The triggers that carry the table's later changes into the index.
  package var triggers: [Trigger] {
    let names = columns.map(SQLName.quoted)
    let add = addition(of: ([key.sqlName] + names).map { "new.\($0)" }) + ";"
    let remove = removal(of: ([key.sqlName] + names).map { "old.\($0)" }) + ";"
    let changed = names.map { "old.\($0) IS NOT new.\($0)" }.joined(separator: " OR ")
    func trigger(_ event: String, _ condition: String, _ body: String) -> Trigger {
      let name = "\(name)_\(event.lowercased())"
      return Trigger(
        name: name,
        sql:
          "CREATE TRIGGER \(name) AFTER \(event) ON \(table.sqlName)\(condition) BEGIN \(body) END")
    }
    return [
      trigger("INSERT", "", add), trigger("DELETE", "", remove),
      trigger("UPDATE", " WHEN \(changed)", "\(remove) \(add)"),
    ]
  }
}
