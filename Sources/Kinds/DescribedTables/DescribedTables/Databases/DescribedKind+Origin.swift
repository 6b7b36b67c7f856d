package import CatalogEngine
import CatalogStore
package import Projections

extension DescribedKind: AdoptedKind {
  package func origin(of table: TableDescription, in moments: [UInt64]) -> TableOrigin? {
    let documents = description.documents.filter { $0.format == .sqlite }
    for document in documents {
      guard let rows = document.rows.first(where: { $0.table == table.name }) else { continue }
      let kept = table.columns.map { rows.sourceColumn($0.name) }
      let passedOver = description.table(table.name)?.columns.filter { !$0.isKept } ?? []
      let start = rows.sourceTable + "."
      let ignored = document.ignored.filter { $0.hasPrefix(start) }.map {
        String($0.dropFirst(start.count))
      }
      let isLater = table.columns.map { column in
        moments.contains { program.isLater(column.name, of: table.name, than: $0) }
      }
      let addedKey = table.columns.firstIndex { $0.name == CompiledTable.hiddenKey }
      return TableOrigin(
        rows.sourceTable,
        columns: table.columns.indices.map {
          $0 == addedKey || isLater[$0] ? nil : kept[$0]
        },
        missing: (ignored + passedOver.map { rows.sourceColumn($0.name) }).filter {
          !kept.contains($0)
        }, later: table.columns.indices.filter { isLater[$0] && $0 != addedKey }.map { kept[$0] },
        canHaveMore: document.others != .refuse,
        uniques: table.columns.indices.filter { table.columns[$0].isUnique }.map { [$0] },
        canHaveMoreUniques: true,
        // A change of such a column alone is not in the log.
        stale: Set(
          table.columns.indices.filter { place in
            let column = description.table(table.name)?.column(table.columns[place].name)
            return column?.attention == .alone && !table.key.contains(place)
          }),
        addedKey: addedKey, isKeyless: addedKey != nil, database: document.name,
        numberAmongEqual: { WholeRowKey.number(in: $0) })
    }
    return nil
  }
}

extension KindProgram {
  /// Whether a column of a table came after a moment at which the log had the table.
  func isLater(_ column: String, of table: String, than sequence: UInt64) -> Bool {
    var (table, column) = (table, column)
    for (place, (since, moment)) in moments.enumerated().reversed() where since > sequence {
      guard place > 0 else { return false }
      for case .renameColumn(table: table, let old, to: column) in moment.moves {
        column = old
        break
      }
      for case .renameTable(let old, to: table) in moment.moves {
        table = old
        break
      }
      guard let before = moments[place - 1].moment.description.table(table) else { return false }
      guard before.column(column) != nil else { return true }
    }
    return false
  }
}
