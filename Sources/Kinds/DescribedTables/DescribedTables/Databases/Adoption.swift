package import CatalogModel

/// A description of the tables of another program's database.
package struct Adoption {
  /// The decisions of a person about a database.
  package struct Choices: Sendable {
    /// Tables (`cache`) and columns (`users.photo`) that are left out.
    package var without: [String] = []
    /// The columns that identify the rows of a table, by its name in the database.
    package var keys: [(table: String, columns: [String])] = []
    /// Whether rows of a table without a key are known by SQLite's number of the row.
    package var rowIDs = false

    /// The spelling of tables and their columns that is kept, since SQL takes `Name` and `name` for the same.
    var names: [(table: String, columns: [String])] = []
    /// Whether they are those of a catalog, which may name what the database has no more. The import that follows judges keys and
    /// values then, and names the row.
    var isOfCatalog = false

    package init() {}
  }

  /// A table that was adopted.
  package struct Table: Sendable {
    package let name: String
    /// The name in the database.
    package let source: String
    package let rows: Int
    /// The names of the key's columns; empty if it is the whole row.
    package let key: [String]
    /// Why the key is not the primary key; nil if it is.
    package let keyBecause: String?
  }

  package let description: KindDescription
  package let tables: [Table]
  /// Sentences about everything that is in the database and not in the description.
  package let leftOut: [String]
  /// Sentences about values that are taken, and that a person may want to look at.
  package let remarks: [String]
  /// Facts about the values of each column, by its name in the database: `users.mail`.
  let facts: [String: Fact]

  struct Fact: Sendable {
    let hasValues: Bool
    let hasNulls: Bool
    /// Whether the database lets no two rows have the same value, whatever the types of the values are.
    var isUnique = false
  }

  /// Looks at all values of the database.
  ///
  /// - Parameters:
  ///   - kind: the name of the kind.
  ///   - document: the name by which the description knows the database.
  /// - Throws: `DocumentError` if it is not a database, has no table, or has values that no catalog can have.
  package init(
    _ source: SourceFile, kind: String, document: String, _ choices: Choices = Choices(),
    words: DocumentWords = DocumentWords()
  ) throws(DocumentError) {
    guard let copy = source.database else { throw source.notADatabase }
    var adopter = DatabaseAdopter(source.name, kind: kind, document: document, choices, words)
    try copy.read { database in
      let schema = try DatabaseSchema(database).spelled(as: choices.names)
      try copy.requireUsable(schema, database)
      try adopter.adopt(schema, database)
    }
    if let error = adopter.faults.error { throw error }
    description = try choices.isOfCatalog ? adopter.finished : adopter.finished.checked()
    tables = adopter.tables
    (leftOut, remarks) = (adopter.leftOut, adopter.remarks)
    facts = adopter.facts
  }
}
