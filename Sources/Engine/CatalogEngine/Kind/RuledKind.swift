package import GRDB
package import Projections

/// A kind with rules over all of its rows, which no change may break.
package protocol RuledKind: CatalogKind {
  /// In the order in which people see them.
  var standingRules: [StandingRule] { get }

  /// Checks the rows of a change before it is appended.
  ///
  /// - Parameters:
  ///   - database: has the rows with the change.
  ///   - tables: those with changes.
  /// - Throws: `ProjectionError` with `contradiction` if a rule is broken.
  func requireRules(in database: Database, changing tables: [TableDescription]) throws
}
