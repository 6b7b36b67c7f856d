/// SQL for the `sqlite3` program that puts the tree of another table, or of its index, in the place of one: what no
/// `quick_check` notices.
package enum LyingIndex {
  /// - Parameters:
  ///   - index: the name of an index, or of a table.
  ///   - making: makes and fills the table `lie`.
  ///   - other: what of it takes the place: `lie`, or `sqlite_autoindex_lie_1`.
  package static func sql(
    of index: String, making: String, other: String = "sqlite_autoindex_lie_1"
  ) -> String {
    """
    PRAGMA writable_schema = 1;
    \(making);
    UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = '\(other)')
      WHERE name = '\(index)';
    DELETE FROM sqlite_schema WHERE tbl_name = 'lie';
    """
  }

  /// The index of a unique column with two of its values swapped, of a table whose key is its row id.
  package static func swapping(
    _ one: String, _ two: String, in column: String, of table: String, key: String = "id"
  ) -> String {
    sql(
      of: "sqlite_autoindex_\(table)_1",
      making: """
        CREATE TABLE lie (a INTEGER PRIMARY KEY, b TEXT NOT NULL UNIQUE);
        INSERT INTO lie SELECT \(key), CASE \(column) WHEN '\(one)' THEN '\(two)' WHEN '\(two)' THEN '\(one)'
          ELSE \(column) END FROM \(table)
        """)
  }

  /// The index of a unique column without one of its values.
  package static func missing(
    _ value: String, in column: String, of table: String, key: String = "rowid"
  ) -> String {
    sql(
      of: "sqlite_autoindex_\(table)_1",
      making: """
        CREATE TABLE lie (a INTEGER PRIMARY KEY, b TEXT NOT NULL UNIQUE);
        INSERT INTO lie SELECT \(key), \(column) FROM \(table) WHERE \(column) <> '\(value)'
        """)
  }

  /// Two indexes, each in the place of the other.
  package static func exchanging(_ one: String, _ two: String) -> String {
    """
    PRAGMA writable_schema = 1;
    CREATE TABLE lie (a, b);
    INSERT INTO lie SELECT name, rootpage FROM sqlite_schema WHERE name IN ('\(one)', '\(two)');
    UPDATE sqlite_schema SET rootpage = (SELECT b FROM lie WHERE a <> name) WHERE name IN ('\(one)', '\(two)');
    DELETE FROM sqlite_schema WHERE name = 'lie';
    """
  }
}
