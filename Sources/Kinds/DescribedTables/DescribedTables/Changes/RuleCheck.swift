package import CatalogEngine
import CatalogModel
import CatalogStore
package import GRDB
package import Projections

extension RowRule {
  /// The place of the rule's SQL in a description.
  fileprivate var path: String {
    let isWord = name.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") }
    return "$.rules" + (isWord ? ".\(name)" : "[\"\(JSONExcerpt.printable(name))\"]") + ".sql"
  }

  package var standing: StandingRule {
    StandingRule(
      name, sql: sql, isRequired: level == .refuse, seconds: seconds ?? StandingRule.usualSeconds)
  }

  /// The rows that break the rule; nil if none does.
  fileprivate func broken(in database: Database) throws -> BrokenRule? {
    let statement = try checkedStatement(in: database)
    var broken = BrokenRule(standing)
    broken.begin(statement.columnNames)
    let places = statement.columnNames.indices
    try standing.bounding(database) {
      let rows = try PreparedStatement(database, sql)
      while try rows.step() { broken.add(places.map { StoredValue(rows.cell($0)) }) }
    }
    return broken.count == 0 ? nil : broken
  }

  /// Whether the rule reads one of some tables.
  fileprivate func reads(_ tables: [TableDescription], in database: Database) throws -> Bool {
    let region = try checkedStatement(in: database).databaseRegion
    return tables.contains {
      region.isModified(byEventsOfKind: .insert(tableName: $0.name))
    }
  }

  /// - Throws: `CatalogError` with `sqlRefused` if a database of the kind cannot run the rule.
  private func checkedStatement(in database: Database) throws -> Statement {
    do {
      return try statement(in: database)
    } catch let problem as ValueProblem {
      throw CatalogError(
        .sqlRefused,
        "the rule \"\(name)\" \(problem.message)" + (problem.advice.map { "; \($0)" } ?? ""))
    }
  }

  /// - Throws: `ValueProblem` for SQL that SQLite refuses, or that does not only read.
  fileprivate func statement(in database: Database) throws -> Statement {
    do {
      let statements = try Array(database.allStatements(sql: sql))
      guard let statement = statements.first, statements.count == 1 else {
        throw ValueProblem("is not one statement", advice: "write one SELECT")
      }
      guard statement.isReadonly, !statement.columnNames.isEmpty else {
        throw ValueProblem("does not only read", advice: "write a SELECT")
      }
      return statement
    } catch let error as DatabaseError {
      throw ValueProblem("is refused by SQLite: \(error.message ?? "\(error)")")
    }
  }
}

extension DescribedKind: RuledKind {
  package var standingRules: [StandingRule] { description.rules.map(\.standing) }

  package func checkRules(
    in database: Database, changing tables: [TableDescription]
  ) throws -> [String] {
    var remarks: [String] = []
    for rule in description.rules {
      do {
        guard try rule.reads(tables, in: database), let broken = try rule.broken(in: database)
        else { continue }
        let sentence = "the rule is broken: \(broken.sentence)"
        if rule.level == .refuse { throw ProjectionError(contradiction: sentence) }
        remarks.append(sentence)
      } catch  where rule.level == .report {
        remarks.append("the rule \"\(rule.name)\" was not checked: \(error)")
      }
    }
    return remarks
  }

  /// Makes sure that a catalog can have the tables, and that SQLite can run each rule.
  ///
  /// - Parameter file: what errors call the description.
  /// - Throws: `DocumentError` with each rule that SQLite refuses.
  package func requireCarriedOut(file: String = "the description") throws {
    let queue = try DatabaseQueue()
    defer { try? queue.close() }
    try migrations.migrator().migrate(queue)
    let faults = try queue.read { database in
      try description.rules.compactMap { rule -> DocumentError? in
        do {
          _ = try rule.statement(in: database)
          return nil
        } catch let problem as ValueProblem {
          return DocumentError(
            code: .invalidValue, file: file, path: rule.path, message: problem.message,
            advice: problem.advice)
        }
      }
    }
    if let error = DocumentError(joining: faults, listing: KindDescription.faultLimit) {
      throw error
    }
  }
}
