import CatalogEngine
import CatalogModel
import EngineCommands

/// The rules of a kind, and the rows that break them at a moment.
struct RulesPart {
  private let findings: [RuleFinding]

  init(_ findings: [RuleFinding]) {
    self.findings = findings
  }

  var html: HTML {
    """
    \(summary)
    \(ReportTable.table(
      "rule-list", label: "Rules",
      [("rule", false), ("now", false), ("a change that breaks it", false)], findings.map(row)))
    \(broken.enumerated().map { rows(of: $1, $0) })
    """
  }

  private var broken: [BrokenRule] {
    findings.compactMap { if case .broken(let rule) = $0.standing { rule } else { nil } }
  }

  private var summary: HTML {
    let unknown = findings.count {
      if case .unknown = $0.standing { true } else { false }
    }
    var parts: [String] = []
    if !broken.isEmpty { parts.append("\(Count.of(broken.count, "rule")) broken") }
    if unknown > 0 { parts.append("\(Count.of(unknown, "rule")) not checked") }
    return parts.isEmpty
      ? "<p class=\"state good\">All rules hold.</p>"
      : "<p class=\"state bad\">\(parts.joined(separator: ", ")).</p>"
  }

  private func row(_ finding: RuleFinding) -> HTML {
    let now =
      switch finding.standing {
      case .holds: "holds"
      case .broken(let broken): "broken by \(Count.of(broken.count, "row"))"
      case .unknown(let reason): "not checked: \(reason)"
      }
    return """
      <tr><td class="long">\(finding.rule.name)<br><span class="code quiet">\(finding.rule.sql)</span></td>\
      <td>\(now)</td><td>\(finding.rule.isRequired ? "is refused" : "is taken, and reported")</td></tr>
      """
  }

  private func rows(of broken: BrokenRule, _ place: Int) -> HTML {
    let left = broken.count - broken.rows.count
    let others = left == 0 ? "" : ", and \(Count.of(left, "more row"))"
    return """
      <p>\(broken.rule.name): the rows that break it\(others)</p>
      \(ReportTable.table(
        "broken-rule-\(place + 1)", label: "Rows that break \(broken.rule.name)",
        broken.columns.map { ($0, false) }, isTall: true,
        broken.rows.map { row in "<tr>\(row.map { ReportTable.value($0.words) })</tr>" as HTML }))
      """
  }
}
