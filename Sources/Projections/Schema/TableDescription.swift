/// A table of the projection, described as data.
///
/// Migrations, row stores, bulk write, digests and comparisons walk these descriptions; none of them
/// knows what a table means.
package final class TableDescription: Sendable {
  package let name: String
  package let columns: [ColumnDescription]
  /// The columns of the primary key, in key order, as indices into `columns`.
  package let key: [Int]
  package let indexes: [IndexDescription]
  /// Its place in the schema.
  package let ordinal: Int
  package let subject: RowSubject
  /// The full `CREATE TABLE` statement.
  package let sql: String
  /// Column names that make the timeless digest: all but those that hold a time.
  package let timelessColumns: [Int]
  /// Whether there are columns beside the key.
  package let hasValues: Bool
  /// Whether the key's values, in key order, are the whole row.
  package let isKeyWholeRow: Bool

  fileprivate init(
    name: String, columns: [ColumnDescription], key: [Int], indexes: [IndexDescription],
    ordinal: Int, subject: RowSubject, sql: String
  ) {
    self.name = name
    self.columns = columns
    self.key = key
    self.indexes = indexes
    self.ordinal = ordinal
    self.subject = subject
    self.sql = sql
    self.timelessColumns = columns.indices.filter { columns[$0].type != .time }
    hasValues = columns.count > key.count
    isKeyWholeRow = key == Array(columns.indices)
  }

  package func index(of column: String) -> Int? {
    columns.firstIndex { $0.name == column }
  }

  /// The key's values of a whole row.
  package func key(of row: [Value]) -> [Value] {
    key.map { row[$0] }
  }
}

/// What a change of a row means to somebody who keeps what the rows say in memory.
package enum RowSubject: Sendable {
  case none
  /// The entity whose id is the first column of the key.
  case entity
  /// What the values of a vocabulary are called.
  case names
}

/// A column: its name, what its values are, and its declaration in SQL.
package struct ColumnDescription: Sendable {
  package let name: String
  package let type: ColumnType
  package let isNullable: Bool
  /// What follows the name in `CREATE TABLE`.
  package let declaration: String
}

/// What a column holds. `id` and `time` are text in SQLite and kept smaller in memory.
package enum ColumnType: String, Sendable, BitwiseCopyable {
  case integer
  case real
  case text
  case id
  case time
}

/// A way to find rows other than by their whole key: an SQL index, or a leading part of the key.
package struct IndexDescription: Sendable {
  /// Name of the SQL index; nil where the primary key or a UNIQUE constraint serves already.
  package let name: String?
  package let columns: [Int]
  /// The `CREATE INDEX` statement, for an index with a name.
  package let sql: String?
}

/// Refers to an index of a table, in the order of `TableDescription.indexes`.
package struct IndexReference: Sendable {
  package let table: TableDescription
  package let ordinal: Int

  package init(table: TableDescription, ordinal: Int) {
    self.table = table
    self.ordinal = ordinal
  }

  package var description: IndexDescription { table.indexes[ordinal] }
}

/// All tables of one kind of catalog, in the order in which they are made and filled, and the
/// full-text indexes over them.
package struct Schema: Sendable {
  package private(set) var tables: [TableDescription] = []
  package private(set) var fullTextIndexes: [FullTextIndexDescription] = []

  package init() {}

  /// Adds a full-text index over columns of a table whose key is one integer.
  package mutating func addFullTextIndex(
    _ name: String, over table: TableDescription, columns: [String]
  ) -> FullTextIndexDescription {
    let index = FullTextIndexDescription(name: name, table: table, columns: columns)
    fullTextIndexes.append(index)
    return index
  }

  /// Adds a table.
  ///
  /// - Parameters:
  ///   - columns: in SQL order. A declaration that contains `NOT NULL` or `PRIMARY KEY` makes the
  ///     column non-null for this description.
  ///   - key: names of the key's columns. Several of them, or `withoutRowID`, make a table-level
  ///     `PRIMARY KEY` of a WITHOUT ROWID table.
  ///   - indexes: SQL index name (nil where the key or a UNIQUE constraint serves) and its columns.
  ///   - subject: what a change of its rows is about.
  package mutating func add(
    _ name: String, columns: [(name: String, type: ColumnType, declaration: String)],
    key: [String], indexes: [(name: String?, columns: [String])] = [],
    subject: RowSubject = .none
  ) -> TableDescription {
    func position(_ column: String) -> Int {
      guard let index = columns.firstIndex(where: { $0.name == column }) else {
        preconditionFailure("no column \(column) in \(name)")
      }
      return index
    }
    let described = columns.map { column in
      ColumnDescription(
        name: column.name, type: column.type,
        isNullable: !Self.has(("NOT", "NULL"), column.declaration)
          && !Self.has(("PRIMARY", "KEY"), column.declaration),
        declaration: column.declaration)
    }
    let isComposite = key.count > 1
    var lines = columns.map { "  \($0.name) \($0.declaration)" }
    if isComposite { lines.append("  PRIMARY KEY(\(key.joined(separator: ", ")))") }
    let sql =
      "CREATE TABLE \(name) (\n\(lines.joined(separator: ",\n"))\n)"
      + (isComposite ? " WITHOUT ROWID" : "")
    let table = TableDescription(
      name: name, columns: described, key: key.map(position),
      indexes: indexes.map { index in
        IndexDescription(
          name: index.name, columns: index.columns.map(position),
          sql: index.name.map {
            "CREATE INDEX \($0) ON \(name)(\(index.columns.joined(separator: ", ")))"
          })
      },
      ordinal: tables.count, subject: subject, sql: sql)
    tables.append(table)
    return table
  }

  /// Whether two words stand one behind the other in a declaration. By bytes: a search for text would be a third of
  /// the time in which the schema is made, at each start of a program.
  private static func has(_ words: (String, String), _ declaration: String) -> Bool {
    let all = declaration.utf8.split(separator: UInt8(ascii: " "))
    return zip(all, all.dropFirst()).contains { first, second in
      first.elementsEqual(words.0.utf8) && second.elementsEqual(words.1.utf8)
    }
  }
}
