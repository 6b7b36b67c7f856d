/// The program `sqlite3`: a reader of databases that is not ours. It waits for locks, as any patient program does.
package enum SQLiteShell {
  /// The answer to a statement, a row a line, with `|` between the columns.
  package static func rows(of database: String, _ statement: String) throws -> [String] {
    let program = try Program("sqlite3", "-cmd", ".timeout 60000", database, statement)
    guard program.status == 0 else { throw Failed(text: program.errors) }
    return program.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .map(String.init)
  }
}

/// An error of a test's own.
package struct Failed: Error {
  package let text: String

  package init(text: String) {
    self.text = text
  }
}
