/// A full-text index (FTS5) over a table, described as data.
///
/// The table holds the words, parted by single spaces (`SearchText`); the index holds where they
/// stand. Triggers keep it right, so that no row store knows of it.
package final class FullTextIndexDescription: Sendable {
  package let name: String
  /// The table whose rows it finds. Its key is one integer, the rowid of the index.
  package let table: TableDescription
  package let columns: [String]

  init(name: String, table: TableDescription, columns: [String]) {
    precondition(
      table.key.count == 1 && table.columns[table.key[0]].type == .integer,
      "a full-text index needs an integer key")
    self.name = name
    self.table = table
    self.columns = columns
  }

  /// The virtual table that lists every word with the row, the column and the place where it stands.
  package var terms: String { name + "_terms" }

  private var key: String { table.columns[table.key[0]].name }

  /// The statements that make the index and the list of its terms.
  package var creation: [String] {
    // Every printable ASCII character is part of a word: texts are taken apart before. Quotes never
    // reach the index. All other bytes are parts of words to this tokenizer anyway.
    let marks = "!#$%&()*+,-./:;<=>?@[\\]^_{|}~"
    return [
      """
      CREATE VIRTUAL TABLE \(name) USING fts5(\(columns.joined(separator: ", ")), \
      content='\(table.name)', content_rowid='\(key)', tokenize="ascii tokenchars '\(marks)'")
      """,
      "CREATE VIRTUAL TABLE \(terms) USING fts5vocab(\(name), instance)",
    ]
  }

  /// The statement that fills the index from the table.
  package var filling: String { "INSERT INTO \(name)(\(name)) VALUES ('rebuild')" }

  /// The triggers that carry the table's later changes into the index.
  package var triggers: [String] {
    let list = columns.joined(separator: ", ")
    func values(_ row: String) -> String {
      ([key] + columns).map { "\(row).\($0)" }.joined(separator: ", ")
    }
    let add = "INSERT INTO \(name)(rowid, \(list)) VALUES (\(values("new")));"
    let remove = "INSERT INTO \(name)(\(name), rowid, \(list)) VALUES ('delete', \(values("old")));"
    let changed = columns.map { "old.\($0) IS NOT new.\($0)" }.joined(separator: " OR ")
    return [
      "CREATE TRIGGER \(name)_insert AFTER INSERT ON \(table.name) BEGIN \(add) END",
      "CREATE TRIGGER \(name)_delete AFTER DELETE ON \(table.name) BEGIN \(remove) END",
      """
      CREATE TRIGGER \(name)_update AFTER UPDATE ON \(table.name) WHEN \(changed) \
      BEGIN \(remove) \(add) END
      """,
    ]
  }
}
