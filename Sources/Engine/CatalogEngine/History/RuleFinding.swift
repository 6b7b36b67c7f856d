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
  /// - Parameter limit: of all that is asked; the rule has a limit of its own besides.
  /// - Throws: `CatalogError` with `sqlRefused` if the SQL cannot be run, or not in time.
  package func broken(_ rule: StandingRule, until limit: TimeLimit? = nil) throws -> BrokenRule? {
    var found = BrokenRule(rule)
    let own = Duration.seconds(rule.seconds)
    let isOwn = limit.map { own < $0.remaining } ?? true
    let limit = isOwn ? TimeLimit(own, stop: limit?.stop ?? WorkStop()) : limit
    do {
      try forEachRow(of: rule.sql, until: limit) {
        found.begin($0)
      } _: {
        found.add($0)
      }
    } catch let error as CatalogError where isOwn && error.isOfTime {
      throw rule.stopped
    }
    return found.count == 0 ? nil : found
  }

  /// Whether a rule holds; unknown if its SQL cannot be run, or not in time.
  package func finding(of rule: StandingRule, until limit: TimeLimit? = nil) throws -> RuleFinding {
    do {
      return RuleFinding(
        rule: rule, standing: try broken(rule, until: limit).map { .broken($0) } ?? .holds)
    } catch let error as CatalogError where error.code == .sqlRefused {
      return RuleFinding(rule: rule, standing: .unknown(error.message))
    }
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
      return try finding(of: rule, until: part)
    }
  }
}
