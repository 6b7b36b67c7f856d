import ArgumentParser
package import CatalogEngine
import CatalogStore
package import Projections

/// The option that prints statements for the database of another program.
package struct ScriptOptions: ParsableArguments {
  @Flag(
    name: .long,
    help:
      "Print SQL that makes the change in the other program's database, for its owner to run.")
  package var sql = false

  package init() {}

  /// Refuses output that is of another form.
  package func requireAlone(_ format: OutputFormat, summary: Bool = false) throws {
    guard sql, format == .json || summary else { return }
    throw ValidationError("--sql prints statements: neither JSON nor a summary")
  }
}

extension SQLScript {
  /// A script for the changes of tables.
  ///
  /// - Parameter origin: the table of the other program's database for one of the catalog.
  /// - Throws: `CatalogError` with `changeRefused` if rows are not from a database, or from several.
  package init(
    _ tables: [(table: TableDescription, changes: [Change])],
    origin: (TableDescription) -> TableOrigin?
  ) throws {
    self.init()
    var databases: [String] = []
    for (table, changes) in tables where !changes.isEmpty {
      guard let origin = origin(table) else {
        throw CatalogError(
          .changeRefused,
          "the rows of \(table.name) are not from the database of another program; SQL is only for those that \(ProgramName.current) adopt reads"
        )
      }
      if !databases.contains(origin.database) { databases.append(origin.database) }
      try add(changes, of: table, in: origin)
    }
    guard databases.count > 1 else { return }
    throw CatalogError(
      .changeRefused,
      "the changes are of the databases \(databases.joined(separator: " and ")); choose the tables of one with --table"
    )
  }

  /// A script for the differences of two states, all of which are listed.
  package init(_ diff: HistoryDiff, origin: (TableDescription) -> TableOrigin?) throws {
    try self.init(
      diff.tables.map { ($0.description, $0.differences.map { ($0.before, $0.after) }) },
      origin: origin)
  }
}
