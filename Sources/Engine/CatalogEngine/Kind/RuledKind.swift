package import GRDB
package import Projections

/// A kind with rules over all of its rows.
package protocol RuledKind: CatalogKind {
  /// In the order in which people see them.
  var standingRules: [StandingRule] { get }

  /// Checks the rows of a change before it is appended.
  ///
  /// - Parameters:
  ///   - database: has the rows with the change.
  ///   - tables: those with changes.
  /// - Returns: a sentence for each broken rule that is only reported.
  /// - Throws: `ProjectionError` with `contradiction` if a rule is broken that no change may break.
  func checkRules(in database: Database, changing tables: [TableDescription]) throws -> [String]
}
