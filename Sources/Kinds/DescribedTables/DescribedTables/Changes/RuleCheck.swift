package import CatalogEngine
import CatalogModel
import CatalogStore
package import GRDB
package import Projections

extension RowRule {
  package var standing: StandingRule {
    StandingRule(name, sql: sql, isRequired: level == .refuse)
  }

  /// The rows that break the rule; nil if none does.
  fileprivate func broken(in database: Database) throws -> BrokenRule? {
    let statement = try statement(in: database)
    var broken = BrokenRule(standing)
    broken.begin(statement.columnNames)
    let rows = try PreparedStatement(database, sql)
    let places = statement.columnNames.indices
    while try rows.step() { broken.add(places.map { StoredValue(rows.cell($0)) }) }
    return broken.count == 0 ? nil : broken
  }

  /// Whether the rule reads one of some tables.
  fileprivate func reads(_ tables: [TableDescription], in database: Database) throws -> Bool {
    let region = try statement(in: database).databaseRegion
    return tables.contains {
      region.isModified(byEventsOfKind: .insert(tableName: $0.name))
    }
  }

  /// - Throws: `CatalogError` with `sqlRefused` for SQL that SQLite refuses, or that does not only read.
  fileprivate func statement(in database: Database) throws -> Statement {
    do {
      let statements = try Array(database.allStatements(sql: sql))
      guard let statement = statements.first, statements.count == 1 else {
        throw CatalogError(
          .sqlRefused, "the rule \"\(name)\" is not one statement; write one SELECT")
      }
      guard statement.isReadonly, !statement.columnNames.isEmpty else {
        throw CatalogError(
          .sqlRefused, "the rule \"\(name)\" does not only read; write a SELECT")
      }
      return statement
    } catch let error as DatabaseError {
      throw CatalogError(
        .sqlRefused, "the rule \"\(name)\" is refused by SQLite: \(error.message ?? "\(error)")")
    }
  }
}

extension DescribedKind: RuledKind {
  package var standingRules: [StandingRule] { description.rules.map(\.standing) }

  package func requireRules(
    in database: Database, changing tables: [TableDescription]
  ) throws {
    for rule in description.rules where rule.level == .refuse {
      guard try rule.reads(tables, in: database), let broken = try rule.broken(in: database) else {
        continue
      }
      throw ProjectionError(contradiction: "the rule is broken: \(broken.sentence)")
    }
  }

  /// Makes sure that a catalog can have the tables, and that SQLite can run each rule.
  ///
  /// - Throws: `CatalogError` with `sqlRefused` for a rule that SQLite refuses.
  package func requireCarriedOut() throws {
    let queue = try DatabaseQueue()
    defer { try? queue.close() }
    try migrations.migrator().migrate(queue)
    try queue.read { database in
      for rule in description.rules { _ = try rule.statement(in: database) }
    }
  }
}
