package import CatalogStore

/// A rule over all rows of a catalog.
package struct StandingRule: Hashable, Sendable {
  /// A sentence that is true as long as the rule holds.
  package let name: String
  /// Returns a row for each violation.
  package let sql: String
  /// Whether a change that breaks the rule is refused; if not, it is reported.
  package let isRequired: Bool
  /// How many seconds its SQL may take.
  package let seconds: Int

  /// Enough for a rule that reads each of some millions of rows several times.
  package static let usualSeconds = 60

  package init(
    _ name: String, sql: String, isRequired: Bool, seconds: Int = StandingRule.usualSeconds
  ) {
    (self.name, self.sql, self.isRequired, self.seconds) = (name, sql, isRequired, seconds)
  }

  /// The error about a rule whose SQL was stopped.
  package var stopped: CatalogError {
    CatalogError(
      .sqlRefused,
      "the rule \"\(name)\" took longer than \(seconds == 1 ? "1 second" : "\(seconds) seconds") and was stopped; "
        + "\"seconds\" beside its SQL gives it more")
  }
}

/// A rule, and the rows that break it.
package struct BrokenRule: Sendable {
  package let rule: StandingRule
  package private(set) var columns: [String] = []
  /// The first rows that the rule's SQL returns.
  package private(set) var rows: [[StoredValue]] = []
  /// How many rows the SQL returns.
  package private(set) var count = 0

  /// Enough to see what is wrong; a query lists the others.
  private static let shownRows = 20

  package init(_ rule: StandingRule) {
    self.rule = rule
  }

  package mutating func begin(_ columns: [String]) { self.columns = columns }

  package mutating func add(_ row: [StoredValue]) {
    count += 1
    if rows.count < Self.shownRows { rows.append(row) }
  }

  /// `every product has a category: 3 rows, the first is sku='SKU-00001'`
  package var sentence: String {
    let first = zip(columns, rows.first ?? []).map { "\($0)=\($1)" }.joined(separator: ", ")
    return "\(rule.name): \(count == 1 ? "1 row" : "\(count) rows"), the first is \(first)"
  }
}
