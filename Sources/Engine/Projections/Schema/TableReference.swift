/// Columns of a table that name a row of another table, or of the same one.
package struct TableReference: Sendable {
  /// The table whose rows refer to another row.
  package let child: TableDescription
  /// The columns that refer, as indices into the child's columns. A row with NULL in one of them refers to no row.
  package let columns: [Int]
  package let parent: TableDescription
  /// The columns that the child's columns equal.
  package let parentColumns: [Int]
}

extension Schema {
  /// All references between tables, in the order of the tables.
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
}
