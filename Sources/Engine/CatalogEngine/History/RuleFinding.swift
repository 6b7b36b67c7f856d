/// A rule of a kind at a moment.
package struct RuleFinding: Sendable {
  package enum Standing: Sendable {
    case holds
    case broken(BrokenRule)
    /// SQLite refuses the rule's SQL, or it takes too long.
    case unknown(String)
  }

  package let rule: StandingRule
  package let standing: Standing
}

extension PastDatabase {
  /// The rows by which a rule is broken; nil if it holds.
  ///
  /// - Throws: `CatalogError` with `sqlRefused` if the SQL cannot be run, or not in time.
  package func broken(_ rule: StandingRule, until limit: TimeLimit? = nil) throws -> BrokenRule? {
    var found = BrokenRule(rule)
    try forEachRow(of: rule.sql, until: limit) {
      found.begin($0)
    } _: {
      found.add($0)
    }
    return found.count == 0 ? nil : found
  }

  /// All rules of a kind at this moment; empty if it has none. A rule that cannot be checked keeps none from being checked.
  package func findings(
    ofRulesOf kind: any CatalogKind, until limit: TimeLimit? = nil
  ) throws -> [RuleFinding] {
    guard let kind = kind as? any RuledKind else { return [] }
    let rules = kind.standingRules
    return try rules.enumerated().map { place, rule in
      // Each rule has a part of the time that is left, so that a slow one leaves some to the others.
      let part = limit.map { TimeLimit($0.remaining / (rules.count - place), stop: $0.stop) }
      do {
        let broken = try broken(rule, until: part)
        return RuleFinding(rule: rule, standing: broken.map { .broken($0) } ?? .holds)
      } catch let error as CatalogError where error.code == .sqlRefused {
        return RuleFinding(rule: rule, standing: .unknown(error.message))
      }
    }
  }
}
