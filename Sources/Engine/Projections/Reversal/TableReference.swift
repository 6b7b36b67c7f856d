/// Columns of a table that name a row of another table, or of the same one.
package struct TableReference: Sendable {
  /// The table whose rows refer to another row.
  package let child: TableDescription
  /// The columns that refer, as indices into the child's columns. A row with NULL in one of them refers to no row.
  package let columns: [Int]
  package let parent: TableDescription
  /// The columns that the child's columns equal.
  package let parentColumns: [Int]
  /// The values with which the child's columns begin, before those that equal the parent's.
  package var prefix: [Value] = []
}

extension Schema {
  /// All references that foreign keys declare, in the order of the tables.
  ///
  /// A description that refers to a table or a column that the schema lacks ends the process: it is written in the
  /// program.
  package var references: [TableReference] {
    tables.flatMap { child in
      child.foreignKeys.map { columns, key in
        guard let parent = tables.first(where: { $0.name == key.table }) else {
          preconditionFailure("\(child.name) refers to \(key.table), which is not in the schema")
        }
        let parentColumns = key.columns.map { name in
          guard let column = parent.index(of: name) else {
            preconditionFailure("\(child.name) refers to \(key.table).\(name), an unknown column")
          }
          return column
        }
        return TableReference(
          child: child, columns: columns, parent: parent, parentColumns: parentColumns)
      }
    }
  }

  /// The references of columns that name a row by its key, and of which SQLite does not learn
  /// (`ColumnDescription.names`), in the order of the tables.
  package var namingReferences: [TableReference] {
    tables.flatMap { child in
      child.columns.enumerated().compactMap { place, column in
        guard let name = column.names else { return nil }
        guard let parent = tables.first(where: { $0.name == name }), parent.key.count == 1 else {
          preconditionFailure(
            "\(child.name).\(column.name) names no table with a key of one column")
        }
        return TableReference(
          child: child, columns: [place], parent: parent, parentColumns: parent.key)
      }
    }
  }

  /// All references: those that the tables declare, and those that only the rules of the kind know.
  package func references(with rules: ReversalRules) -> [TableReference] {
    references + namingReferences
      + rules.references.map { from, to in
        TableReference(
          child: from.table, columns: from.places, parent: to.table, parentColumns: to.places,
          prefix: to.prefix)
      }
  }
}
