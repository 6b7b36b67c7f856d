import CatalogEngine
import EngineCommands
import Projections

/// The operations that are reverted, and the reasons.
extension ReportPage {
  /// Empty if none is.
  var reverted: HTML {
    let operations = report.reverted
    guard !operations.isEmpty else { return "" }
    let rows = operations.map { operation -> HTML in
      """
      <tr>\(ReportTable.code("\(operation.operation)"))<td>\(operation.first) to \(operation.last)</td>\
      \(ReportTable.code("\(operation.revertedBy)"))<td>\(operation.revertedAt.description)</td>\
      <td>\(operation.reason ?? "")</td></tr>
      """
    }
    let table = ReportTable.table(
      "reverted-operations", label: "Operations that are reverted",
      [
        ("operation", false), ("events", false), ("reverted by", false), ("when", false),
        ("why", false),
      ], rows)
    return """
      <p>What \(operations.count == 1 ? "this operation" : "these operations") changed was undone, \
      as far as no later event changed it again.</p>
      \(table)
      """
  }
}
