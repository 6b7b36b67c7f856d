import CatalogEngine
import CatalogModel
import CatalogStore
import EngineCommands
import Projections

/// Values that the changed rows of an operation have more often than all rows of their tables.
struct CommonValues {
  private struct Finding {
    let table: TableDescription
    let column: Int
    let value: Value
    /// How many of the changed rows have it, and how many there are.
    let changed: (count: Int, of: Int)
    /// Those numbers of all rows.
    let all: (count: Int, of: Int)
  }

  private let findings: [Finding]
  private let names: RowNames?

  /// Fewer rows have nothing in common that a person could not see.
  private static let fewest = 4
  private static let listed = 12

  /// - Parameter before: the last event of the state before the operation, whose rows the changed ones are compared with;
  ///   if any is new, all are compared with the state after it.
  init(_ steps: [RecordedChange], _ question: InspectorQuestion, before: UInt64) throws {
    names = try question.states.names(through: question.head.sequence)
    var findings: [Finding] = []
    for table in question.kind.schema.tables where !table.isOwn {
      let rows = steps.filter { $0.change.table === table }.compactMap {
        $0.change.before ?? $0.change.after
      }
      guard rows.count >= Self.fewest else { continue }
      let isNew = steps.contains { $0.change.table === table && $0.change.before == nil }
      let last = steps.last?.event.sequence ?? before
      let state = try PastDatabase(
        behind: isNew ? last : before, of: question.states)
      let total = try Self.count("SELECT count(*) FROM \(table.sqlName)", in: state, question.limit)
      // All rows of the table: whatever they have in common says nothing about the operation.
      guard rows.count < total else { continue }
      for (place, column) in table.columns.enumerated()
      where !table.key.contains(place) || table.key.count > 1 {
        guard !column.isUnique, !column.isChangeStamp, column.type != .blob, !column.isName else {
          continue
        }
        var tally: [Value: Int] = [:]
        for row in rows { tally[row[place], default: 0] += 1 }
        guard
          let (value, count) = tally.max(by: {
            ($0.value, $1.key.literal) < ($1.value, $0.key.literal)
          }),
          count >= Self.fewest, count * 2 >= rows.count
        else { continue }
        let having = try Self.count(
          "SELECT count(*) FROM \(table.sqlName) WHERE \(column.sqlName) IS \(value.literal)",
          in: state,
          question.limit)
        // At least half as often again as in all rows.
        guard count * total * 2 >= having * rows.count * 3 else { continue }
        findings.append(
          Finding(
            table: table, column: place, value: value, changed: (count, rows.count),
            all: (having, total)))
      }
    }
    func lift(_ finding: Finding) -> Double {
      Double(finding.changed.count * finding.all.of)
        / Double(max(1, finding.all.count * finding.changed.of))
    }
    self.findings = findings.sorted { lift($0) > lift($1) }
  }

  private static func count(
    _ sql: String, in state: PastDatabase, _ limit: TimeLimit?
  ) throws -> Int {
    var count = 0
    try state.forEachRow(of: sql, until: limit) { _ in
    } _: { row in
      if case .integer(let number) = row[0] { count = Int(number) }
    }
    return count
  }

  /// - Parameter id: the list's, in the page.
  func html(id: String) throws -> HTML {
    guard !findings.isEmpty else { return "" }
    let items = try findings.prefix(Self.listed).map { finding -> HTML in
      var values = ValueExcerpts(isWhole: false)
      let value = values.text(StoredValue(finding.value))
      var row = finding.table.columns.map { _ in Value.null }
      row[finding.column] = finding.value
      let label = try names?.references(of: finding.table, row)[finding.column]
      return """
        <li><span class="code">\(finding.table.name).\(finding.table.columns[finding.column].name) = \(value)</span>\
        \(label.map { " (\($0))" } ?? ""): \(Self.share(finding.changed)) of the changed rows, \
        \(Self.share(finding.all)) of all rows</li>
        """
    }
    return "<h3>What the changed rows have in common</h3><ul id=\"\(id)\">\(items)</ul>"
  }

  private static func share(_ part: (count: Int, of: Int)) -> String {
    "\(Count.grouped(part.count)) of \(Count.grouped(part.of)), \(part.count * 100 / max(1, part.of)) %"
  }
}
