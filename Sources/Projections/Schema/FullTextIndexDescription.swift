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

  /// The statement that adds a row's words: takes the key and the columns.
  package var addition: String { addition(of: marks) }

  /// The statement that takes a row's words away: takes the key and the columns as they were added.
  package var removal: String { removal(of: marks) }

  private var marks: [String] { Array(repeating: "?", count: columns.count + 1) }

  private func addition(of values: [String]) -> String {
    "INSERT INTO \(name)(rowid, \(columns.joined(separator: ", "))) "
      + "VALUES (\(values.joined(separator: ", ")))"
  }

  private func removal(of values: [String]) -> String {
    "INSERT INTO \(name)(\(name), rowid, \(columns.joined(separator: ", "))) "
      + "VALUES ('delete', \(values.joined(separator: ", ")))"
  }

  /// A statement that carries later changes of the table into the index.
  package struct Trigger: Sendable {
    package let name: String
    package let sql: String
  }

  /// The triggers that carry the table's later changes into the index.
  package var triggers: [Trigger] {
    let add = addition(of: ([key] + columns).map { "new.\($0)" }) + ";"
    let remove = removal(of: ([key] + columns).map { "old.\($0)" }) + ";"
    let changed = columns.map { "old.\($0) IS NOT new.\($0)" }.joined(separator: " OR ")
    func trigger(_ event: String, _ condition: String, _ body: String) -> Trigger {
      let name = "\(name)_\(event.lowercased())"
      return Trigger(
        name: name,
        sql: "CREATE TRIGGER \(name) AFTER \(event) ON \(table.name)\(condition) BEGIN \(body) END")
    }
    return [
      trigger("INSERT", "", add), trigger("DELETE", "", remove),
      trigger("UPDATE", " WHEN \(changed)", "\(remove) \(add)"),
    ]
  }
}
